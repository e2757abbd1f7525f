import { selectorOf } from 'kubewright/machinery'
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from 'kubewright/kinds/apps/v1'
import type { CronJob, Job } from 'kubewright/kinds/batch/v1'
import { age, humanDuration } from './age.ts'
import { containerCells, labelsText, selectorText } from './format.ts'
import { printer, type Printer } from './printer.ts'

function deploymentCells(it: Deployment, now: number): readonly unknown[] {
  return [
    it.metadata.name,
    `${it.status?.readyReplicas ?? 0}/${it.spec.replicas ?? 0}`,
    it.status?.updatedReplicas ?? 0,
    it.status?.availableReplicas ?? 0,
    age(it.metadata.creationTimestamp, now),
    ...containerCells(it.spec.template.spec.containers),
    deploymentSelector(it),
  ]
}

/** Only a deployment shows an empty selector as nothing, and a wrong one as invalid. */
function deploymentSelector(it: Deployment): string {
  try {
    return selectorOf(it.spec.selector).text
  } catch {
    return '<invalid>'
  }
}

function daemonSetCells({ metadata, spec, status }: DaemonSet, now: number): readonly unknown[] {
  return [
    metadata.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsText(spec.template.spec.nodeSelector),
    age(metadata.creationTimestamp, now),
    ...containerCells(spec.template.spec.containers),
    selectorText(spec.selector),
  ]
}

/** What a job is, by the first of these conditions that holds; a deletion comes after the first two. */
const ENDS = ['Complete', 'Failed']
const STATES = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']

function jobStatus({ metadata, status }: Job): string {
  const holds = (type: string): boolean =>
    status?.conditions?.find((it) => it.type === type)?.status === 'True'
  const ended = ENDS.find(holds)
  if (ended) return ended
  return metadata.deletionTimestamp ? 'Terminating' : (STATES.find(holds) ?? 'Running')
}

function completionsText({ spec, status }: Job): string {
  const done = status?.succeeded ?? 0
  if (spec.completions !== undefined) return `${done}/${spec.completions}`
  const parallelism = spec.parallelism ?? 0
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`
}

function jobDuration({ status }: Job, now: number): string {
  if (!status?.startTime) return ''
  const end = status.completionTime ? Date.parse(status.completionTime) : now
  return humanDuration(end - Date.parse(status.startTime))
}

function jobCells(job: Job, now: number): readonly unknown[] {
  return [
    job.metadata.name,
    jobStatus(job),
    completionsText(job),
    jobDuration(job, now),
    age(job.metadata.creationTimestamp, now),
    ...containerCells(job.spec.template.spec.containers),
    selectorText(job.spec.selector),
  ]
}

const suspendText = (suspend: boolean | undefined): string =>
  suspend === undefined ? '<unset>' : suspend ? 'True' : 'False'

function cronJobCells({ metadata, spec, status }: CronJob, now: number): readonly unknown[] {
  const job = spec.jobTemplate.spec
  return [
    metadata.name,
    spec.schedule,
    spec.timeZone ?? '<none>',
    suspendText(spec.suspend),
    status?.active?.length ?? 0,
    status?.lastScheduleTime ? age(status.lastScheduleTime, now) : '<none>',
    age(metadata.creationTimestamp, now),
    ...containerCells(job.template.spec.containers),
    selectorText(job.selector),
  ]
}

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find((it) => it.controller)
  if (!owner) return '<none>'
  const slash = owner.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`
  return `${owner.kind}${group}`.toLowerCase() + `/${owner.name}`
}

/** Printers of apps and batch. */
export const WORKLOADS: Readonly<Record<string, Printer>> = {
  'apps/controllerrevisions': printer<ControllerRevision>((it, now) => [
    it.metadata.name,
    controllerText(it),
    it.revision,
    age(it.metadata.creationTimestamp, now),
  ]),
  'apps/daemonsets': printer<DaemonSet>(daemonSetCells),
  'apps/deployments': printer<Deployment>(deploymentCells),
  'apps/replicasets': printer<ReplicaSet>((it, now) => [
    it.metadata.name,
    it.spec.replicas ?? 0,
    it.status?.replicas ?? 0,
    it.status?.readyReplicas ?? 0,
    age(it.metadata.creationTimestamp, now),
    ...containerCells(it.spec.template?.spec.containers),
    selectorText(it.spec.selector),
  ]),
  'apps/statefulsets': printer<StatefulSet>((it, now) => [
    it.metadata.name,
    `${it.status?.readyReplicas ?? 0}/${it.spec.replicas ?? 0}`,
    age(it.metadata.creationTimestamp, now),
    ...containerCells(it.spec.template.spec.containers),
  ]),
  'batch/cronjobs': printer<CronJob>(cronJobCells),
  'batch/jobs': printer<Job>(jobCells),
}
