import { controller, type ControllerDefinition, type KeyContext } from 'kubewright/controller'
import { CronJob, Job } from 'kubewright/kinds/batch/v1'
import { isAlreadyExists, keyOf } from 'kubewright/machinery'
import { BY_OWNER } from '../workload/claim-objects.ts'
import { isControlledBy } from '../workload/claim.ts'
import {
  AS_CONTROLLER,
  isNamespaceEnding,
  messageOf,
  sameMeaning,
  updateStatus,
} from '../workload/writes.ts'
import { type CronPlan, planCronJob, startedStatus } from './plan.ts'

/** Starts Jobs by the calendar (kubernetes/pkg/controller/cronjob). */
export function cronJobController(): ControllerDefinition {
  return controller(CronJob, { name: 'cronjob-controller', pace: false, resync: 0 })
    .owns(Job)
    .reconcileKey(async (key, context) => {
      const cronJob = context.lister(CronJob).get(key)
      return cronJob && sync(cronJob, context)
    })
}

async function sync(
  cronJob: CronJob,
  context: KeyContext,
): Promise<{ readonly requeueAfter?: number } | undefined> {
  const jobs = context.lister(Job).byIndex(BY_OWNER, cronJob.metadata.uid!)
  const plan = planCronJob({ cronJob, jobs, now: context.clock.now() })
  const say = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    context.events.record({ kind: CronJob, object: cronJob }, type, reason, message)
  for (const { type, reason, message } of plan.events) say(type, reason, message)
  for (const job of plan.remove) {
    await context.client.delete(Job, keyOf(job), { propagation: 'Background' })
    say('Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`)
  }
  const status = await launch(cronJob, plan, say, context)
  if (!sameMeaning(cronJob.status, status)) {
    await updateStatus(context, CronJob, { ...cronJob, status })
  }
  return plan.after === undefined ? undefined : { requeueAfter: plan.after }
}

type Say = (type: 'Normal' | 'Warning', reason: string, message: string) => void

async function launch(
  cronJob: CronJob,
  { create, status }: CronPlan,
  say: Say,
  context: KeyContext,
): Promise<CronPlan['status']> {
  if (!create) return status
  try {
    const job = await context.client.create(Job, create.job, AS_CONTROLLER)
    say('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`)
    return startedStatus(status, job, create.scheduled)
  } catch (error) {
    if (isNamespaceEnding(error)) return status
    if (!isAlreadyExists(error)) {
      say('Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`)
      throw error
    }
  }
  const { namespace, name } = create.job.metadata ?? {}
  const there = await context.client.find(Job, { namespace: namespace!, name: name! })
  return there && isControlledBy(there, cronJob)
    ? startedStatus(status, there, create.scheduled)
    : status
}
