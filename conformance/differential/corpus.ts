import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import { isTree } from './generate/edit.ts'
import type { Sequence, Step } from './step.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Definition {
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: { readonly kind: string; readonly plural: string }
    /** Absent from definitions of v1beta1, which are refused. */
    readonly versions?: readonly { readonly name: string; readonly served: boolean }[]
  }
}

interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
}

/**
 * The sequences of a folder, or of each folder in it: its definitions (every `CustomResourceDefinition` in its YAML files) are made,
 * its samples (every other object that one of them is for) are created, read, applied, patched and deleted, and the definitions are
 * deleted again. They must be played one after the other.
 */
export async function corpusSequences(folder: string): Promise<readonly Sequence[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const inner = entries.filter((it) => it.isDirectory()).map((it) => path.join(folder, it.name))
  const own = entries.some((it) => it.isFile() && isYaml(it.name))
  const folders = own ? [folder] : inner.sort()
  return (await Promise.all(folders.map(sequencesOf))).flat()
}

const isYaml = (name: string): boolean => /\.ya?ml$/.test(name)

async function sequencesOf(folder: string): Promise<readonly Sequence[]> {
  const names = (await readdir(folder, { recursive: true })).filter(isYaml).sort()
  const texts = await Promise.all(names.map((it) => readFile(path.join(folder, it), 'utf8')))
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text, { version: '1.1', merge: true }).map((it) => it.toJS() as unknown),
  )
  const definitions = objects.filter(isDefinition)
  const samples = objects.filter(isSample)
  const title = path.basename(folder)
  return [
    ...definitions.map((it) => made(title, it)),
    ...samples.flatMap((it) => sampled(title, it, definitions)),
    ...definitions.map((it) => unmade(title, it)),
  ]
}

const isDefinition = (value: unknown): value is Definition =>
  isSample(value) && value.kind === 'CustomResourceDefinition'

const isSample = (value: unknown): value is Sample =>
  isTree(value) && typeof value['apiVersion'] === 'string' && isTree(value['metadata'])

const made = (title: string, definition: Definition): Sequence => {
  const { name } = definition.metadata
  return {
    title: `${title}: ${name}`,
    once: true,
    steps: [
      { ask: `POST ${DEFINITIONS}?dryRun=All&fieldValidation=Strict`, body: definition },
      { ask: `POST ${DEFINITIONS}`, body: definition },
      { ask: `GET ${DEFINITIONS}/${name}` },
      { ask: `GET ${DEFINITIONS}/${name}`, accept: 'table' },
      { ask: `GET ${DEFINITIONS}/${name}`, accept: 'yaml' },
    ],
  }
}

const unmade = (title: string, { metadata: { name } }: Definition): Sequence => ({
  title: `${title}: ${name} again`,
  once: true,
  steps: [{ ask: `DELETE ${DEFINITIONS}/${name}` }],
})

function sampled(
  title: string,
  sample: Sample,
  definitions: readonly Definition[],
): readonly Sequence[] {
  const at = sample.apiVersion.lastIndexOf('/')
  const group = sample.apiVersion.slice(0, at)
  const found = definitions.find(
    ({ spec }) => spec.group === group && spec.names.kind === sample.kind,
  )
  const name = sample.metadata.name
  if (!found?.spec.versions || !name) return []
  const { namespace: _, ...metadata } = sample.metadata
  const body = { ...sample, metadata }
  const steps = found.spec.versions
    .filter((it) => it.served)
    .flatMap(({ name: version }) => readsOf(collectionOf(found, version), name))
  const collection = collectionOf(found, sample.apiVersion.slice(at + 1))
  return [
    {
      title: `${title}: ${sample.kind} ${name}`,
      steps: [
        { ask: `POST ${collection}?dryRun=All&fieldValidation=Strict`, body },
        { ask: `POST ${collection}?fieldManager=one`, body },
        ...steps,
        ...writesOf(collection, name, body),
      ],
    },
  ]
}

const collectionOf = ({ spec }: Definition, version: string): string =>
  `/apis/${spec.group}/${version}${spec.scope === 'Namespaced' ? '/namespaces/{ns}' : ''}/${spec.names.plural}`

const readsOf = (collection: string, name: string): readonly Step[] => [
  { ask: `GET ${collection}/${name}` },
  { ask: `GET ${collection}/${name}`, accept: 'table' },
  { ask: `GET ${collection}/${name}`, accept: 'yaml' },
]

const writesOf = (collection: string, name: string, body: object): readonly Step[] => [
  { ask: `PATCH ${collection}/${name}?fieldManager=two&force=true`, type: 'apply', body },
  { id: 'read', ask: `GET ${collection}/${name}` },
  { ask: `PATCH ${collection}/${name}`, type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
  { ask: `PATCH ${collection}/${name}/status`, type: 'merge', body: { status: {} } },
  { ask: `PATCH ${collection}/${name}`, type: 'merge', body: { spec: 5 } },
  { ask: `GET ${collection}/${name}/scale` },
  { ask: `DELETE ${collection}/${name}`, body: { preconditions: { uid: '{uid:read}' } } },
]
