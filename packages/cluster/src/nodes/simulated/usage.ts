import type { Pod } from 'kubewright/kinds/core/v1'
import { amountOf } from '../behaviour/annotations.ts'
import type { Behaviours, UsageOf } from '../behaviour/behaviour.ts'
import type { ContainerUsage, Usage } from '../kubelet-api/pod-access.ts'
import { specOf } from '../pod/container.ts'

/** Over how long usage is an average, in milliseconds, as a metrics-server measures it. */
const WINDOW = 15_000
const MEBI = 2 ** 20

/** What a simulated container uses: what it is to use, or half of what it asks for, or little. */
export function containerUsage(
  pod: Pod,
  container: string,
  since: number,
  behaviours: Behaviours,
  now: number,
): ContainerUsage {
  const usage = behaviours.of(pod, container).usage ?? expected(pod, container)
  const seconds = Math.max(0, (now - since) / 1000)
  const { cpu, memory } = usage(seconds, pod)
  return {
    name: container,
    startedAt: since,
    at: now,
    window: WINDOW,
    cpuCores: cpu,
    cpuSeconds: usedSince(usage, seconds, pod),
    workingSetBytes: memory,
  }
}

/** At how many moments usage is looked at, to add it up. */
const MOMENTS = 1024

/** Seconds of a core used in so many seconds. */
function usedSince(usage: UsageOf, seconds: number, pod: Pod): number {
  let step = WINDOW / 1000
  while (seconds / step > MOMENTS) step *= 2
  let used = 0
  for (let at = 0; at < seconds; at += step)
    used += usage(at, pod).cpu * Math.min(step, seconds - at)
  return used
}

function expected(pod: Pod, container: string): UsageOf {
  const requests = specOf(pod, { name: container }).resources?.requests
  const used = {
    cpu: amountOf(requests?.['cpu']) / 2 || 0.001,
    memory: amountOf(requests?.['memory']) / 2 || 8 * MEBI,
  }
  return () => used
}

/** What the machine of a simulated node uses beside its pods. */
export const overhead = (startedAt: number, now: number): Usage => ({
  at: now,
  window: WINDOW,
  cpuCores: 0.05,
  cpuSeconds: (0.05 * Math.max(0, now - startedAt)) / 1000,
  workingSetBytes: 256 * MEBI,
})
