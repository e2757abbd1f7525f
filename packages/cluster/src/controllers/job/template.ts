import { Job } from 'kubewright/kinds/batch/v1'
import type { Container, Pod } from 'kubewright/kinds/core/v1'
import { controllerReference, type Draft } from 'kubewright/machinery'
import { podFromTemplate } from '../workload/pod-template.ts'
import { judgeFailure } from './failure-policy.ts'
import {
  COMPLETION_INDEX,
  ignoredIndexFailures,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  indexFailures,
  TRACKING,
} from './pods.ts'

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX'
const MOST_PREFIX = 58

/** A pod of a job, held by the tracking finalizer until it is counted; of one index, when there is one. */
export function jobPod(job: Job, index: number | undefined, replaced: Pod | undefined): Draft<Pod> {
  const owner = controllerReference(Job, job)
  const pod = podFromTemplate(job.spec!.template, job.metadata.namespace!, owner)
  const finalizers = [...new Set([...(pod.metadata?.finalizers ?? []), TRACKING])]
  const tracked: Draft<Pod> = { ...pod, metadata: { ...pod.metadata, finalizers } }
  return index === undefined ? tracked : indexed(job, tracked, index, replaced)
}

function indexed(job: Job, pod: Draft<Pod>, index: number, replaced: Pod | undefined): Draft<Pod> {
  const suffix = `-${index}-`
  const name = job.metadata.name!
  const prefix =
    name.length + suffix.length > MOST_PREFIX ? name.slice(0, MOST_PREFIX - suffix.length) : name
  const spec = job.spec!.template.spec
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${prefix}${suffix}`,
      labels: { ...pod.metadata?.labels, [COMPLETION_INDEX]: String(index) },
      annotations: {
        ...pod.metadata?.annotations,
        [COMPLETION_INDEX]: String(index),
        ...(job.spec?.backoffLimitPerIndex !== undefined && failureCounts(job, replaced)),
      },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers: spec.containers.map(withIndexVariable),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(withIndexVariable) }),
    },
  }
}

function failureCounts(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (!replaced) return { [INDEX_FAILURES]: '0' }
  const counts = judgeFailure(job.spec?.podFailurePolicy, replaced).counts
  const ignored = ignoredIndexFailures(replaced) + (counts ? 0 : 1)
  return {
    [INDEX_FAILURES]: String(indexFailures(replaced) + (counts ? 1 : 0)),
    ...(ignored > 0 && { [INDEX_IGNORED_FAILURES]: String(ignored) }),
  }
}

function withIndexVariable(container: Container): Container {
  if (container.env?.some((it) => it.name === INDEX_VARIABLE)) return container
  const fieldPath = `metadata.labels['${COMPLETION_INDEX}']`
  return {
    ...container,
    env: [
      ...(container.env ?? []),
      { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath } } },
    ],
  }
}
