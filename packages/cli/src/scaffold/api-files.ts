import { pluralOf } from 'kubewright/schema'
import type { ApiNames } from '../names.ts'
import type { Origin } from './origin.ts'
import { CONTROLLERS_MARKER, IMPORTS_MARKER } from './project-files.ts'
import type { Files } from './write-files.ts'

/** What to scaffold for an API. */
export interface ApiParts {
  readonly names: ApiNames
  readonly origin: Origin
  readonly namespaced: boolean
  readonly resource: boolean
  readonly controller: boolean
}

/** The files of one API. */
export function apiFiles(parts: ApiParts): Files {
  const { names, origin, namespaced, resource, controller } = parts
  const files: Record<string, string> = {}
  if (resource) files[`src/api/${names.version}/${names.file}.ts`] = declaration(names, namespaced)
  if (!controller) return files
  files[`src/controllers/${names.file}.ts`] = (origin.builtIn ? builtInController : ownController)(
    names,
    origin,
  )
  files[`test/${names.file}.test.ts`] = origin.builtIn
    ? builtInTest(names)
    : ownTest(names, namespaced)
  return files
}

const controllerName = ({ variable }: ApiNames): string => `${variable}Controller`

/** Whether src/app.ts imports the API's controller. */
export function isRegistered(app: string, names: ApiNames): boolean {
  return app.includes(`import { ${controllerName(names)} } from './controllers/${names.file}.ts'`)
}

/** src/app.ts with the API's controller added at the markers; undefined when the markers are gone. */
export function registered(app: string, names: ApiNames): string | undefined {
  if (!app.includes(IMPORTS_MARKER) || !app.includes(CONTROLLERS_MARKER.trim())) return undefined
  const name = controllerName(names)
  return app
    .replace(
      IMPORTS_MARKER,
      `import { ${name} } from './controllers/${names.file}.ts'\n${IMPORTS_MARKER}`,
    )
    .replace(/^ *\/\/ \+kubewright:scaffold:controllers/m, `  ${name},\n${CONTROLLERS_MARKER}`)
}

const declaration = (
  { group, version, kind, plural }: ApiNames,
  namespaced: boolean,
): string => `import { kind, s, type ObjectOf } from 'kubewright'

/** What users may ask for, and what they are told. \`kubewright generate\` makes the CRD of it. */
export const ${kind} = kind('${group}/${version}', '${kind}', {${plural === pluralOf(kind.toLowerCase()) ? '' : `\n  plural: '${plural}',`}${namespaced ? '' : "\n  scope: 'Cluster',"}
  spec: {
    size: s.integer({
      format: 'int32',
      minimum: 0,
      default: 1,
      description: 'An example field: replace it with your own.',
    }),
  },
  status: {
    observedGeneration: s.integer({ format: 'int64' }),
    conditions: s.conditions(),
  },
  columns: { Ready: '.status.conditions[?(@.type=="Ready")].status' },
})

/** A ${kind} as the server sends it. */
export type ${kind} = ObjectOf<typeof ${kind}>
`

const ownController = (
  { kind, variable }: ApiNames,
  { from }: Origin,
): string => `import { condition, controller, type ControllerDefinition } from 'kubewright'
import { ${kind} } from '${from}'

/** Keeps the world as every ${kind} asks for. */
export const ${variable}Controller: ControllerDefinition = controller(${kind})
  // .owns(Deployment)      looks again when a Deployment that it made changes
  // .watches(Secret, map)  looks again when something else changes
  .reconcile(async (${variable}, { log, status }) => {
    const { generation = 0 } = ${variable}.metadata
    // Bring the world to what the spec asks for. This may run for no reason, and once for many:
    // look, compare, apply.
    log.info('reconciling', { generation })
    await status({
      observedGeneration: generation,
      conditions: [condition('Ready', true, 'Reconciled', 'everything is as asked for')],
    })
  })
`

const builtInController = (
  { kind, variable }: ApiNames,
  { from }: Origin,
): string => `import { controller, type ControllerDefinition } from 'kubewright'
import { ${kind} } from '${from}'

/** Acts on every ${kind}. */
export const ${variable}Controller: ControllerDefinition = controller(${kind})
  // .where(labelsMatch({ matchLabels: { … } }))  only some of them
  .reconcile(async (${variable}, { log }) => {
    // Bring the world to what this ${kind} asks for. This may run for no reason, and once for many:
    // look, compare, apply.
    log.info('reconciling', { generation: ${variable}.metadata.generation })
  })
`

const ownTest = ({ version, kind, file, variable }: ApiNames, namespaced: boolean): string => {
  const [name, metadata] = namespaced
    ? ['default/sample', "{ name: 'sample', namespace: 'default' }"]
    : ['sample', "{ name: 'sample' }"]
  return `import { test } from 'node:test'
import { startCluster } from '@kubewright/cluster/testing'
import { isConditionTrue } from 'kubewright'
import { ${kind} } from '../src/api/${version}/${file}.ts'
import { app } from '../src/app.ts'

test('a ${kind} becomes ready', async (t) => {
  const cluster = await startCluster()
  t.after(() => cluster.close())
  await cluster.run(app)
  await cluster.client.apply(${kind}, { metadata: ${metadata}, spec: {} })
  await cluster.until(${kind}, '${name}', (${variable}) =>
    isConditionTrue(${variable}.status?.conditions, 'Ready'),
  )
})
`
}

const builtInTest = ({ kind }: ApiNames): string => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster } from '@kubewright/cluster/testing'
import { app } from '../src/app.ts'

test('the controller for ${kind} starts', async (t) => {
  const cluster = await startCluster()
  t.after(() => cluster.close())
  const running = await cluster.run(app)
  await assert.doesNotReject(running.elected)
})
`
