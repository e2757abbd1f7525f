import { readFileSync } from 'node:fs'
import type { Usage } from '../kubelet-api/pod-access.ts'
import { familyOf } from './ground/child.ts'

/** How often a second the kernel counts time for processes (sysconf(_SC_CLK_TCK), 100 on every Linux of ours). */
const TICKS = 100
/** The least time over which cores are counted, ms: below it, the last count stays. */
const WINDOW = 1000

/** What a process and all below it use, from /proc; remembers what they used before, to say how many cores they use now. */
export class ProcessUsage {
  readonly #pid: number
  #before: { readonly at: number; readonly cpuSeconds: number }
  #last: Usage | undefined

  /** `at` is when it began, in milliseconds since the epoch. */
  constructor(pid: number, at: number) {
    this.#pid = pid
    this.#before = { at, cpuSeconds: 0 }
  }

  /** What it uses at `now`. */
  measure(now: number): Usage {
    const last = this.#last
    if (last && now - last.at < WINDOW) return last
    const family = familyOf(this.#pid)
    const spent = family.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
    // What has ended is counted by its parent, or by nobody any more.
    const cpuSeconds = Math.max(spent, this.#before.cpuSeconds)
    const window = Math.max(1, now - this.#before.at)
    const usage: Usage = {
      at: now,
      window,
      cpuSeconds,
      cpuCores: (cpuSeconds - this.#before.cpuSeconds) / (window / 1000),
      workingSetBytes: family.reduce((sum, pid) => sum + memoryOf(pid), 0),
    }
    this.#before = { at: now, cpuSeconds }
    this.#last = usage
    return usage
  }
}

/** Of its own time and that of its children that have ended, as `man 5 proc` numbers the fields of stat. */
function cpuSecondsOf(pid: number): number {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, it) => sum + Number(it), 0) / TICKS
}

function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`)) ?? []
  return Number(kilobytes) * 1024
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

/** What the machine uses beside: nothing is known of that but this process. */
export function clusterUsage(startedAt: number, now: number): Usage {
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / 1e6
  const window = Math.max(1, now - startedAt)
  return {
    at: now,
    window,
    cpuSeconds,
    cpuCores: cpuSeconds / (window / 1000),
    workingSetBytes: process.memoryUsage.rss(),
  }
}
