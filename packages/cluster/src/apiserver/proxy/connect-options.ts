import { flag } from './query-flag.ts'

/** The options of a connection as admission sees them: an object of `kind` (core/v1 PodExecOptions and its like). */
export function connectOptions(
  kind: string,
  query: URLSearchParams,
  to: { readonly parts: readonly string[]; readonly path: string },
): Readonly<Record<string, unknown>> {
  return { kind, apiVersion: 'v1', ...fieldsOf(kind, query, to) }
}

function fieldsOf(
  kind: string,
  query: URLSearchParams,
  to: { readonly parts: readonly string[]; readonly path: string },
): Readonly<Record<string, unknown>> {
  if (kind.endsWith('ProxyOptions')) {
    const rest = to.parts.slice(3).map((it) => `/${it}`)
    // Whether the path ended with a slash, which parts do not show, matters to who gets it.
    const path = rest.join('') + (to.path.endsWith('/') ? '/' : '')
    return path === '' ? {} : { path }
  }
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').flatMap((it) => it.split(',').map(Number))
    return ports.length > 0 ? { ports } : {}
  }
  const flags = ['stdin', 'stdout', 'stderr', 'tty'].filter((it) => flag(query, it))
  const container = query.get('container') ?? ''
  const command = query.getAll('command')
  return {
    ...Object.fromEntries(flags.map((it) => [it, true])),
    ...(container === '' ? {} : { container }),
    ...(kind === 'PodExecOptions' ? { command: command.length > 0 ? command : null } : {}),
  }
}
