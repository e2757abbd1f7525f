import type { ApiNames } from '../names.ts'
import { CONTROLLERS_MARKER, IMPORTS_MARKER } from './project-files.ts'
import type { Files } from './write-files.ts'

/** What to scaffold for an API. */
export interface ApiParts {
  readonly names: ApiNames
  readonly namespaced: boolean
  readonly resource: boolean
  readonly controller: boolean
}

/** The files of one API. */
export function apiFiles({ names, namespaced, resource, controller }: ApiParts): Files {
  return {
    ...(resource
      ? { [`src/api/${names.version}/${names.file}.ts`]: declaration(names, namespaced) }
      : {}),
    ...(controller ? { [`src/controllers/${names.file}.ts`]: controllerFile(names) } : {}),
    ...(controller ? { [`test/${names.file}.test.ts`]: test(names, namespaced) } : {}),
  }
}

/** src/app.ts with the API's controller added at the markers; undefined when the markers are gone. */
export function registered(app: string, names: ApiNames): string | undefined {
  if (!app.includes(IMPORTS_MARKER) || !app.includes(CONTROLLERS_MARKER.trim())) return undefined
  const name = `${names.variable}Controller`
  return app
    .replace(
      IMPORTS_MARKER,
      `import { ${name} } from './controllers/${names.file}.ts'\n${IMPORTS_MARKER}`,
    )
    .replace(/^ *\/\/ \+kubewright:scaffold:controllers/m, `  ${name},\n${CONTROLLERS_MARKER}`)
}

const declaration = (
  { group, version, kind }: ApiNames,
  namespaced: boolean,
): string => `import { kind, s, type ObjectOf } from 'kubewright'

/** What users may ask for, and what they are told. \`kubewright generate\` makes the CRD of it. */
export const ${kind} = kind('${group}/${version}', '${kind}', {${namespaced ? '' : "\n  scope: 'Cluster',"}
  spec: {
    size: s.integer({ format: 'int32', minimum: 0, default: 1, description: 'An example field: replace it with your own.' }),
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

const controllerFile = ({
  version,
  kind,
  file,
  variable,
}: ApiNames): string => `import { condition, controller, type ControllerDefinition } from 'kubewright'
import { ${kind} } from '../api/${version}/${file}.ts'

/** Keeps the world as every ${kind} asks for. */
export const ${variable}Controller: ControllerDefinition = controller(${kind})
  // .owns(Deployment)      looks again when a Deployment that it made changes
  // .watches(Secret, map)  looks again when something else changes
  .reconcile(async (${variable}, { log, status }) => {
    const { generation = 0 } = ${variable}.metadata
    // Bring the world to what ${variable}.spec asks for. This may run for no reason, and once for many: look, compare, apply.
    log.info('reconciling', { size: ${variable}.spec.size })
    await status({
      observedGeneration: generation,
      conditions: [condition('Ready', true, 'Reconciled', 'everything is as asked for')],
    })
  })
`

const test = ({ version, kind, file, variable }: ApiNames, namespaced: boolean): string => {
  const key = namespaced ? "{ namespace: 'default', name: 'sample' }" : "'sample'"
  const metadata = namespaced ? "{ name: 'sample', namespace: 'default' }" : "{ name: 'sample' }"
  return `import { test } from 'node:test'
import { startCluster } from '@kubewright/cluster/testing'
import { isConditionTrue } from 'kubewright'
import { ${kind} } from '../src/api/${version}/${file}.ts'
import { app } from '../src/app.ts'

test('a ${kind} becomes ready', async () => {
  await using cluster = await startCluster()
  await cluster.run(app)
  await cluster.client.apply(${kind}, { metadata: ${metadata}, spec: {} })
  await cluster.until(${kind}, ${key}, (${variable}) => isConditionTrue(${variable}?.status?.conditions, 'Ready'))
})
`
}
