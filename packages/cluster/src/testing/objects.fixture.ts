import type { Deployment } from 'kubewright/kinds/apps/v1'
import type { Job } from 'kubewright/kinds/batch/v1'
import type { Container, PodTemplateSpec } from 'kubewright/kinds/core/v1'
import type { Draft } from 'kubewright/machinery'

/** The default namespace, where the tests' objects live. */
export const here = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: 'default',
  name,
})

/** A template of pods labelled `app: <name>` with one container. */
export function template(name: string, container: Partial<Container> = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'nginx:1.25', ...container }] },
  }
}

/** What selects such pods. */
export const selector = (name: string): { readonly matchLabels: { readonly app: string } } => ({
  matchLabels: { app: name },
})

/** A deployment of such pods. */
export function deployment(
  name: string,
  replicas: number,
  spec: Partial<Deployment['spec']> = {},
): Draft<Deployment> {
  return {
    metadata: here(name),
    spec: { replicas, selector: selector(name), template: template(name), ...spec },
  }
}

/** A job whose pods run a command. */
export function job(name: string, command: readonly string[], spec: object = {}): Draft<Job> {
  const { metadata, spec: pod } = template(name, { command })
  return {
    metadata: here(name),
    spec: {
      template: { ...(metadata && { metadata }), spec: { ...pod, restartPolicy: 'Never' } },
      ...spec,
    },
  }
}
