import { parseSchedule } from '../../base/schedule.ts'
import type { Source, SourceContext } from '../definition.ts'
import type { Requests } from '../handler.ts'

/** How a schedule is read. */
export interface CronOptions {
  /** An IANA name, such as `Asia/Shanghai`. Default UTC. */
  readonly timeZone?: string
}

/**
 * A source that asks by the clock: five fields (`0 3 * * mon-fri`), `@hourly`, `@every 90s`, as a CronJob reads them. `which` says whom to
 * look at. A time that passed while nothing ran is not made up for; a clock that is set back asks twice. Throws a RangeError at once for
 * a schedule that cannot be read.
 */
export function cron(
  expression: string,
  which: (context: SourceContext) => Requests | Promise<Requests>,
  { timeZone = 'UTC' }: CronOptions = {},
): Source {
  const schedule = parseSchedule(expression, timeZone)
  return async (enqueue, context) => {
    const { clock, signal, log } = context
    for (let from = clock.now(); !signal.aborted; from = clock.now()) {
      const next = schedule.next(from)
      if (next === undefined) return log.warn('a schedule never comes', { schedule: expression })
      // Timers hold at most some 24 days.
      while (clock.now() < next && !signal.aborted)
        await clock.sleep(Math.min(next - clock.now(), 86_400_000), signal).catch(() => {})
      if (signal.aborted) return
      try {
        enqueue(await which(context), `cron ${expression}`)
      } catch (error) {
        log.error('the requests of a schedule could not be told', { schedule: expression, error })
      }
    }
  }
}
