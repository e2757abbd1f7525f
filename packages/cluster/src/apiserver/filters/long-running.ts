import type { RequestInfo } from '../endpoints/request-info.ts'

const VERBS: ReadonlySet<string> = new Set(['watch', 'proxy'])
const SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/** Whether a request lasts as long as it lasts (kubernetes' longRunningRequestCheck: watches, and what reaches into nodes). */
export const isLongRunning = ({ verb, subresource, path }: RequestInfo): boolean =>
  VERBS.has(verb) || SUBRESOURCES.has(subresource) || path.startsWith('/debug/pprof/')
