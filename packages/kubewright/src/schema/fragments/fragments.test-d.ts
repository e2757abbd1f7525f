import type { Container, EnvVar, PodTemplateSpec } from '../../kinds/core/v1.ts'
import { kind } from '../kind.ts'
import type { ObjectOf } from '../../machinery/index.ts'
import { s } from '../words.ts'

const App = kind('example.com/v1', 'App', {
  spec: {
    resources: s.resourceRequirements().optional(),
    envs: s.envVars({ default: [] }),
    ports: s.containerPorts({ maxItems: 3 }).optional(),
    template: s.podTemplate(),
  },
  status: { conditions: s.conditions() },
})

/** What is declared so fits into a container as it is. */
const container = ({ spec }: ObjectOf<typeof App>): Container => ({
  name: 'app',
  env: spec.envs satisfies readonly EnvVar[],
  ...(spec.ports ? { ports: spec.ports } : {}),
  ...(spec.resources ? { resources: spec.resources } : {}),
})

const template = ({ spec }: ObjectOf<typeof App>): PodTemplateSpec => spec.template

const ready = ({ status }: ObjectOf<typeof App>): boolean =>
  status?.conditions?.some((it) => it.type === 'Ready' && it.status === 'True') ?? false

export const used: unknown[] = [container, template, ready]

// @ts-expect-error a default is of the type itself
s.envVars({ default: [{ value: 'x' }] })
