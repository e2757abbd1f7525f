import type { Job, JobStatus } from 'kubewright/kinds/batch/v1'
import type { Pod } from 'kubewright/kinds/core/v1'
import { timeText } from 'kubewright/machinery'
import { assessJob, isFinished, jobAction } from './assess.ts'
import { type FailureRecord, NO_FAILURES } from './backoff.ts'
import { completionIndex, isTracked } from './pods.ts'
import { jobPod } from './template.ts'
import { concludeJob, doneOf, trackJob } from './track.ts'

/** A job and its pods, as a server would keep them. */
export class JobWorld {
  job: Job
  readonly pods: Map<string, Pod> = new Map()
  readonly ended: { succeeded: number; failed: number } = { succeeded: 0, failed: 0 }
  readonly events: string[] = []
  failures: FailureRecord = NO_FAILURES
  now: number = Date.UTC(2026, 0, 1)
  after: number | undefined
  #count = 0

  constructor(spec: Partial<NonNullable<Job['spec']>>) {
    this.job = {
      metadata: { name: 'work', namespace: 'default', uid: 'uid-job' },
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] } },
        ...spec,
      },
    }
  }

  get finished(): boolean {
    return isFinished(this.job)
  }

  /** One sync. `breakAt` cuts it off after so many writes, as a crash would. */
  sync(breakAt: number = Infinity): void {
    if (this.finished) return
    const observed = {
      job: this.job,
      pods: [...this.pods.values()],
      failures: this.failures,
      now: this.now,
    }
    let writes = 0
    const broken = (): boolean => ++writes > breakAt
    const assessment = assessJob(observed)
    const action = jobAction(observed, assessment)
    this.after = action.type === 'keep' ? action.after : undefined
    if (action.type === 'create') {
      for (const index of action.indexes) {
        if (broken()) return
        this.#create(index, index === undefined ? undefined : assessment.delayed.get(index))
      }
    }
    if (action.type === 'delete') {
      for (const pod of action.pods) this.#delete(pod, action.release)
    }
    const tracking = trackJob(observed, assessment, doneOf(action))
    if (broken()) return
    this.#write(tracking.status)
    this.failures = assessment.failures
    this.#say(tracking.events)
    const released = new Set<string>()
    for (const pod of tracking.finalize) {
      if (broken()) return
      this.#release(pod)
      released.add(pod.metadata.uid!)
    }
    if (broken()) return
    const end = concludeJob(this.job.status!, tracking, released, this.job, this.now)
    this.#write(end.status)
    this.#say(end.events)
  }

  #say(events: readonly { reason: string; message: string }[]): void {
    this.events.push(...events.map((it) => `${it.reason}: ${it.message}`))
  }

  #write(status: JobStatus): void {
    this.job = { ...this.job, status }
  }

  #create(index: number | undefined, replaced: Pod | undefined): void {
    const name = `work-${this.#count++}`
    const draft = jobPod(this.job, index, replaced) as Pod
    const metadata = {
      ...draft.metadata,
      name,
      uid: `uid-${name}`,
      creationTimestamp: timeText(this.now),
    }
    this.pods.set(name, { ...draft, metadata, status: { phase: 'Pending' } })
  }

  #delete(pod: Pod, release: boolean): void {
    const name = pod.metadata.name!
    if (release) this.#release(pod)
    const current = this.pods.get(name)
    if (!current) return
    this.pods.set(name, {
      ...current,
      metadata: { ...current.metadata, deletionTimestamp: timeText(this.now) },
    })
  }

  #release(pod: Pod): void {
    const current = this.pods.get(pod.metadata.name!)
    if (!current) return
    this.pods.set(pod.metadata.name!, {
      ...current,
      metadata: { ...current.metadata, finalizers: [] },
    })
  }

  /** Ends a pod, as its node would; a deleted one goes as soon as nothing holds it. */
  end(pod: Pod, phase: 'Succeeded' | 'Failed', code: number = phase === 'Failed' ? 1 : 0): void {
    const terminated = { exitCode: code, finishedAt: timeText(this.now) }
    const main = {
      name: 'main',
      state: { terminated },
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
    }
    this.pods.set(pod.metadata.name!, { ...pod, status: { phase, containerStatuses: [main] } })
    if (phase === 'Succeeded') this.ended.succeeded++
    else this.ended.failed++
  }

  /** The nodes finish off deleted pods, and the server removes those that nothing holds. */
  reap(): void {
    for (const [name, pod] of this.pods) {
      if (pod.metadata.deletionTimestamp === undefined) continue
      if (!isEnded(pod)) this.end(pod, 'Failed', 137)
      if (!isTracked(this.pods.get(name)!)) this.pods.delete(name)
    }
  }

  get active(): readonly Pod[] {
    return [...this.pods.values()].filter((it) => !isEnded(it) && !it.metadata.deletionTimestamp)
  }

  get indexes(): readonly (number | undefined)[] {
    return this.active.map(completionIndex)
  }

  conditions(): readonly string[] {
    return (this.job.status?.conditions ?? []).map((it) => `${it.type}=${it.status}/${it.reason}`)
  }
}

const isEnded = (pod: Pod): boolean =>
  pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
