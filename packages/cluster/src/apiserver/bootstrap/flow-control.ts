import type { UnknownObject } from 'kubewright/machinery'
import flowControl from './data/flow-control.json' with { type: 'json' }
import type { BootstrapObject } from './objects.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'

interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string }
}

/** The flow schemas and priority levels that a server makes (apiserver/pkg/apis/flowcontrol/bootstrap), none of them dangling. */
export function flowControlObjects(now: string): readonly BootstrapObject[] {
  const { flowSchemas, priorityLevels } = flowControl
  return [
    ...Object.entries(priorityLevels).map(([name, spec]) =>
      stored('prioritylevelconfigurations', 'PriorityLevelConfiguration', name, spec, {}),
    ),
    ...Object.entries(flowSchemas).map(([name, spec]) =>
      stored('flowschemas', 'FlowSchema', name, spec, notDangling(spec, now)),
    ),
  ]
}

const notDangling = ({ priorityLevelConfiguration }: FlowSchemaSpec, now: string): object => ({
  conditions: [
    {
      type: 'Dangling',
      status: 'False',
      lastTransitionTime: now,
      reason: 'Found',
      message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(priorityLevelConfiguration.name)} and it exists`,
    },
  ],
})

function stored(
  plural: string,
  kind: string,
  name: string,
  spec: object,
  status: object,
): BootstrapObject {
  const object: UnknownObject = {
    kind,
    apiVersion: `${GROUP}/v1`,
    metadata: { name, generation: 1, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
    spec,
    status,
  }
  return { key: `${GROUP}/${plural}//${name}`, object }
}
