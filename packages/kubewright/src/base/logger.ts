/** The severities of a log line, most detailed first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a log line carries besides its message: flat, JSON-safe, keys in camelCase. */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured logs: a constant message and fields. Implementations never throw and never block the caller. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds `fields` to every line. */
  with(fields: LogFields): Logger
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]

/** One line as a sink sees it. */
export interface LogEntry {
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

/** Makes a {@link Logger} that hands every entry at `level` or above to `sink`. */
export function createLogger(
  sink: (entry: LogEntry) => void,
  level: LogLevel = 'info',
  fields: LogFields = {},
): Logger {
  const least = LEVELS.indexOf(level)
  const at =
    (severity: LogLevel) =>
    (message: string, more?: LogFields): void => {
      if (LEVELS.indexOf(severity) < least) return
      sink({ level: severity, message, fields: more ? { ...fields, ...more } : fields })
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (more) => createLogger(sink, level, { ...fields, ...more }),
  }
}

/** A logger that drops everything. */
export const silentLogger: Logger = createLogger(() => {}, 'error')
