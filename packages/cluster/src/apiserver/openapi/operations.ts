import type { KindName } from '../resources/builtins.ts'
import type { ResourceInfo, SubresourceInfo } from '../resources/resource.ts'
import {
  BUILTIN,
  CUSTOM,
  kindDefinition,
  metaRef,
  refTo,
  type Dialect,
  type Schema,
} from './dialect.ts'
import {
  optionParameters,
  pathParameter,
  PRETTY,
  RESOURCE_VERSION,
  verbParameters,
  type Parameter,
} from './parameters.ts'

/** The methods of a path item, in OpenAPI's spelling. */
export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch'

/** One operation of a path, all its parameters with it: a path item shares those that all its operations have. */
export interface Operation {
  readonly path: string
  readonly method: Method
  readonly id: string
  readonly tag: string
  readonly action?: string
  readonly kind?: KindName
  readonly parameters: readonly Parameter[]
  readonly body?: {
    readonly types: readonly string[]
    readonly schema: Schema
    readonly required: boolean
  }
  /** By status code; 401 is understood. */
  readonly answers: Readonly<
    Record<string, { readonly types: readonly string[]; readonly schema: Schema }>
  >
}

/** A resource and how its document speaks of it. */
interface Subject {
  readonly info: ResourceInfo
  readonly dialect: Dialect
  /** `/apis/apps/v1`. */
  readonly root: string
  /** `AppsV1`, as operation ids have it. */
  readonly title: string
  readonly tag: string
  /** `Namespaced` or nothing. */
  readonly scope: string
  readonly definition: string
}

/** All operations on a resource and its subresources (apiserver/pkg/endpoints/installer.go). */
export function operationsOf(
  info: ResourceInfo,
  deletes: 'Status' | 'object',
): readonly Operation[] {
  const subject = subjectOf(info)
  return [
    ...collectionOperations(subject),
    ...itemOperations(subject, deletes),
    ...(info.custom ? [] : watchOperations(subject)),
    ...info.subresources.flatMap((it) => subresourceOperations(subject, it)),
  ]
}

function subjectOf(info: ResourceInfo): Subject {
  const words = groupWords(info.group)
  return {
    info,
    dialect: info.custom ? CUSTOM : BUILTIN,
    root: rootOf(info),
    title: words.map(capital).join('') + capital(info.version),
    tag: `${tagOf(info.group)}_${info.version}`,
    scope: info.scope === 'Namespaced' ? 'Namespaced' : '',
    definition: kindDefinition(info),
  }
}

/** `/api/v1`, `/apis/apps/v1`. */
export const rootOf = (it: { readonly group: string; readonly version: string }): string =>
  it.group === '' ? `/api/${it.version}` : `/apis/${it.group}/${it.version}`

/** The words of a group in operation ids: `rbac authorization` for rbac.authorization.k8s.io. */
export function groupWords(group: string): readonly string[] {
  return group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split(/[.-]/)
}

/** The tag of a group: `rbacAuthorization`. */
export const tagOf = (group: string): string =>
  groupWords(group)
    .map((word, index) => (index === 0 ? word : capital(word)))
    .join('')

/** `apps` → `Apps`. */
export const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)

const NAMESPACE = pathParameter('namespace')
const NAME = pathParameter('name')

/** Where the resource's objects lie, and the parameters of that path. */
function placeOf({ info, root }: Subject): { path: string; parameters: readonly Parameter[] } {
  return info.scope === 'Namespaced'
    ? { path: `${root}/namespaces/{namespace}/${info.plural}`, parameters: [NAMESPACE, PRETTY] }
    : { path: `${root}/${info.plural}`, parameters: [PRETTY] }
}

function collectionOperations(subject: Subject): readonly Operation[] {
  const { info, dialect, title, tag, scope, root } = subject
  const { path, parameters } = placeOf(subject)
  const base = { path, tag, kind: info }
  const list = { types: dialect.streams, schema: refTo(`${subject.definition}List`) }
  const lists = [...parameters, ...verbParameters('list')]
  const found: Operation[] = []
  if (info.verbs.includes('list')) {
    const id = `list${title}${scope}${info.kind}`
    found.push({
      ...base,
      method: 'get',
      action: 'list',
      id,
      parameters: lists,
      answers: { 200: list },
    })
  }
  if (info.verbs.includes('create')) found.push(createOperation(subject))
  if (info.verbs.includes('deletecollection')) found.push(deleteCollectionOperation(subject))
  if (info.verbs.includes('list') && info.scope === 'Namespaced') {
    const id = `list${title}${info.kind}ForAllNamespaces`
    const all = [PRETTY, ...verbParameters('list')]
    const everywhere = { ...base, path: `${root}/${info.plural}` }
    found.push({
      ...everywhere,
      method: 'get',
      action: 'list',
      id,
      parameters: all,
      answers: { 200: list },
    })
  }
  return found
}

function createOperation(subject: Subject): Operation {
  const { info, dialect, title, tag, scope } = subject
  const { path, parameters } = placeOf(subject)
  const schema = refTo(subject.definition)
  return {
    path,
    method: 'post',
    id: `create${title}${scope}${info.kind}`,
    tag,
    action: 'post',
    kind: info,
    parameters: [...parameters, ...verbParameters('create')],
    body: { types: dialect.bodies, schema, required: true },
    answers: answers(['200', '201', '202'], dialect.answers, schema),
  }
}

/** The document of a custom resource gives a deletecollection the parameters of a list, and no body. */
function deleteCollectionOperation(subject: Subject): Operation {
  const { info, dialect, title, tag, scope } = subject
  const { path, parameters } = placeOf(subject)
  const own = verbParameters(dialect.custom ? 'list' : 'deletecollection')
  return {
    path,
    method: 'delete',
    id: `delete${title}Collection${scope}${info.kind}`,
    tag,
    action: 'deletecollection',
    kind: info,
    parameters: [...parameters, ...own],
    ...(dialect.custom
      ? {}
      : { body: { types: dialect.bodies, schema: metaRef('DeleteOptions'), required: false } }),
    answers: answers(['200'], dialect.answers, metaRef('Status')),
  }
}

function itemOperations(subject: Subject, deletes: 'Status' | 'object'): readonly Operation[] {
  const { info, dialect, title, scope } = subject
  const place = placeOf(subject)
  const item: Item = {
    subject,
    path: `${place.path}/{name}`,
    parameters: [NAME, ...place.parameters],
    name: `${title}${scope}${info.kind}`,
    kind: info,
    schema: refTo(subject.definition),
  }
  const found: Operation[] = []
  if (info.verbs.includes('get')) found.push(getOperation(item))
  if (info.verbs.includes('update')) found.push(putOperation(item))
  if (info.verbs.includes('delete')) {
    const schema = deletes === 'object' ? item.schema : metaRef('Status')
    found.push({
      ...common(item, 'delete'),
      id: `delete${item.name}`,
      parameters: [...item.parameters, ...verbParameters('delete')],
      body: { types: dialect.bodies, schema: metaRef('DeleteOptions'), required: false },
      answers: answers(['200', '202'], dialect.answers, schema),
    })
  }
  if (info.verbs.includes('patch')) found.push(patchOperation(item))
  return found
}

/** A path that names one object, or a subresource of one. */
interface Item {
  readonly subject: Subject
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** `AppsV1NamespacedDeploymentScale`: the operation ids without their verb. */
  readonly name: string
  readonly kind: KindName
  readonly schema: Schema
}

const common = (
  { path, subject, kind }: Item,
  method: 'get' | 'put' | 'delete' | 'patch' | 'post',
) => ({ path, method, tag: subject.tag, action: method, kind })

function getOperation(item: Item): Operation {
  const { dialect } = item.subject
  return {
    ...common(item, 'get'),
    id: `read${item.name}`,
    parameters: [...item.parameters, ...(dialect.custom ? [RESOURCE_VERSION] : [])],
    answers: answers(['200'], dialect.answers, item.schema),
  }
}

function putOperation(item: Item): Operation {
  const { dialect } = item.subject
  return {
    ...common(item, 'put'),
    id: `replace${item.name}`,
    parameters: [...item.parameters, ...verbParameters('update')],
    body: { types: dialect.bodies, schema: item.schema, required: true },
    answers: answers(['200', '201'], dialect.answers, item.schema),
  }
}

function patchOperation(item: Item): Operation {
  const { dialect } = item.subject
  return {
    ...common(item, 'patch'),
    id: `patch${item.name}`,
    parameters: [...item.parameters, ...verbParameters('patch')],
    body: { types: dialect.patches, schema: metaRef('Patch'), required: true },
    answers: answers(dialect.custom ? ['200'] : ['200', '201'], dialect.answers, item.schema),
  }
}

function watchOperations(subject: Subject): readonly Operation[] {
  const { info, dialect, title, tag, root, scope } = subject
  if (!info.verbs.includes('watch')) return []
  const event = { types: dialect.streams, schema: metaRef('WatchEvent') }
  const base = { method: 'get', tag, kind: info, answers: { 200: event } } as const
  const place = placeOf(subject)
  const own = place.path.slice(root.length)
  const parameters = [...place.parameters, ...verbParameters('list')]
  const name = `watch${title}${scope}${info.kind}`
  const item = [NAME, ...parameters]
  const all: Operation[] = [
    { ...base, path: `${root}/watch${own}`, action: 'watchlist', id: `${name}List`, parameters },
    { ...base, path: `${root}/watch${own}/{name}`, action: 'watch', id: name, parameters: item },
  ]
  if (info.scope === 'Namespaced') {
    const id = `watch${title}${info.kind}ListForAllNamespaces`
    const everywhere = parameters.filter((it) => it !== NAMESPACE)
    const path = `${root}/watch/${info.plural}`
    all.push({ ...base, path, action: 'watchlist', id, parameters: everywhere })
  }
  return all
}

function subresourceOperations(subject: Subject, it: SubresourceInfo): readonly Operation[] {
  const { info, title, scope, dialect } = subject
  if (it.kind.endsWith('Options')) return connectOperations(subject, it)
  const place = placeOf(subject)
  const item: Item = {
    subject,
    path: `${place.path}/{name}/${it.name}`,
    parameters: [NAME, ...place.parameters],
    name: `${title}${scope}${info.kind}${capital(it.name)}`,
    // A custom resource's document names its own kind even for a Scale.
    kind: dialect.custom ? info : it,
    schema: refTo(kindDefinition(it)),
  }
  if (it.name === 'log') return [logOperation(item)]
  const found: Operation[] = []
  if (it.verbs.includes('get')) found.push(getOperation(item))
  if (it.verbs.includes('update')) found.push(putOperation(item))
  if (it.verbs.includes('patch')) found.push(patchOperation(item))
  if (it.verbs.includes('create')) {
    found.push({
      ...common(item, 'post'),
      id: `create${item.name}`,
      parameters: [...item.parameters, ...verbParameters('create')],
      body: { types: dialect.bodies, schema: item.schema, required: true },
      answers: answers(['200', '201', '202'], dialect.answers, item.schema),
    })
  }
  return found
}

/** A log is text, whatever is asked for. */
function logOperation(item: Item): Operation {
  const types = [...item.subject.dialect.answers, 'text/plain']
  const options = optionParameters('io.k8s.api.core.v1.PodLogOptions')
  return {
    ...common(item, 'get'),
    id: `read${item.name}`,
    parameters: [...item.parameters, ...options],
    answers: answers(['200'], types, { type: 'string' }),
  }
}

const CONNECT_METHODS: Readonly<Record<string, readonly Method[]>> = {
  get: ['get'],
  create: ['post'],
  update: ['put'],
  delete: ['delete'],
  patch: ['patch', 'options', 'head'],
}

/** A subresource that is a connection (exec, proxy …): its kind holds its parameters, and a proxy takes any path after it. */
function connectOperations(subject: Subject, it: SubresourceInfo): readonly Operation[] {
  const { info, title, scope, tag } = subject
  const place = placeOf(subject)
  const own = place.parameters.filter((each) => each !== PRETTY)
  const parameters = [NAME, ...own, ...optionParameters(kindDefinition(it))]
  const path = `${place.path}/{name}/${it.name}`
  const name = `${scope}${info.kind}${capital(it.name)}`
  const answer = { 200: { types: ['*/*'], schema: { type: 'string' } } }
  const methods = it.verbs.flatMap((verb) => CONNECT_METHODS[verb] ?? [])
  const base = { tag, action: 'connect', kind: it, answers: answer }
  return methods.flatMap((method): Operation[] => {
    const id = `connect${title}${capital(method)}${name}`
    const plain = { ...base, path, method, id, parameters }
    if (it.name !== 'proxy') return [plain]
    const deep = [...parameters, pathParameter('path')]
    return [plain, { ...plain, path: `${path}/{path}`, id: `${id}WithPath`, parameters: deep }]
  })
}

function answers(
  codes: readonly string[],
  types: readonly string[],
  schema: Schema,
): Operation['answers'] {
  return Object.fromEntries(codes.map((code) => [code, { types, schema }]))
}
