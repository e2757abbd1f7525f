/**
 * Writes packages/kubewright/src/schema/fragments/definitions.json, the structural schemas behind `s.envVars()` and its like, from the
 * OpenAPI document of a running kube-apiserver:
 *
 *     node tools/extract-fragments.ts --kubeconfig admin.kubeconfig
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createClient } from 'kubewright'
import { format, resolveConfig } from 'prettier'
import { structuralDefinitions } from '../packages/kubewright/src/schema/fragments/structural-definitions.ts'

const FILE = 'packages/kubewright/src/schema/fragments/definitions.json'
/** Kinds of values that are offered as they are; what they refer to comes along. */
const ROOTS = [
  'io.k8s.api.core.v1.PodTemplateSpec',
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec',
  'io.k8s.api.core.v1.ObjectReference',
  'io.k8s.api.core.v1.ServiceSpec',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition',
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
]

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } })
if (!values.kubeconfig)
  throw new Error('extract-fragments needs --kubeconfig of a running kube-apiserver.')
const client = createClient({ kubeconfig: values.kubeconfig })
try {
  const response = await client.raw({ method: 'GET', path: '/openapi/v3/api/v1' })
  const { components } = (await response.json()) as {
    components: { schemas: Record<string, Record<string, unknown>> }
  }
  const text = JSON.stringify(structuralDefinitions(components.schemas, ROOTS))
  const before = await readFile(FILE, 'utf8').catch(() => '')
  const after = await format(text, { ...(await resolveConfig(FILE)), parser: 'json' })
  await writeFile(FILE, after)
  console.log(before === after ? `${FILE} was current` : `${FILE} written`)
} finally {
  await client.close()
}
