import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  type UnknownObject,
} from 'kubewright/machinery'
import { canonicalTime } from '../resources/decode-time.ts'
import { flag } from './query-flag.ts'

/** What a request for a log asks for (core/v1 PodLogOptions); absent numbers were not given. */
export interface LogOptions {
  readonly container: string
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly insecure: boolean
  readonly sinceSeconds?: string
  readonly sinceTime?: string
  readonly tailLines?: string
  readonly limitBytes?: string
}

/** Reads and checks the options of a log (core/validation ValidatePodLogOptions). Throws the 400 or 422. */
export function logOptions(query: URLSearchParams, pod: string): LogOptions {
  const numbers = Object.fromEntries(
    (['sinceSeconds', 'tailLines', 'limitBytes'] as const).flatMap((name) => {
      const value = integer(query.get(name))
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const since = query.get('sinceTime')
  const options: LogOptions = {
    container: query.get('container') ?? '',
    follow: flag(query, 'follow'),
    previous: flag(query, 'previous'),
    timestamps: flag(query, 'timestamps'),
    insecure: flag(query, 'insecureSkipTLSVerifyBackend'),
    ...numbers,
    ...(since === null || since === '' ? {} : { sinceTime: timeOf(since) }),
  }
  const errors = problems(options, query)
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors)
  return options
}

/** A whole number of a query as text. Throws the 400 in the words of Go's strconv. */
function integer(text: string | null): string | undefined {
  if (text === null || text === '') return undefined
  if (/^[+-]?\d+$/.test(text)) return String(BigInt(text))
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}

function timeOf(text: string): string {
  try {
    return canonicalTime(text) ?? ''
  } catch (error) {
    throw badRequest((error as Error).message)
  }
}

function problems(options: LogOptions, query: URLSearchParams): readonly FieldError[] {
  const errors: FieldError[] = []
  const { tailLines, limitBytes, sinceSeconds, sinceTime } = options
  const under = (text: string | undefined, least: number): boolean =>
    text !== undefined && Number(text) < least
  if (under(tailLines, 0))
    errors.push(invalidValue('tailLines', Number(tailLines), 'must be greater than or equal to 0'))
  if (under(limitBytes, 1))
    errors.push(invalidValue('limitBytes', Number(limitBytes), 'must be greater than 0'))
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(
      forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'),
    )
  else if (under(sinceSeconds, 1))
    errors.push(invalidValue('sinceSeconds', Number(sinceSeconds), 'must be greater than 0'))
  // Behind the feature gate PodLogsQuerySplitStreams, which is off.
  if (query.get('stream')) errors.push(forbiddenField('stream', 'may not be specified'))
  return errors
}

/** The query that a kubelet gets for a log. */
export function logQuery(options: LogOptions): URLSearchParams {
  const query = new URLSearchParams()
  const { follow, limitBytes, previous, sinceSeconds, sinceTime, tailLines, timestamps } = options
  if (follow) query.set('follow', 'true')
  if (limitBytes !== undefined) query.set('limitBytes', limitBytes)
  if (previous) query.set('previous', 'true')
  if (sinceSeconds !== undefined) query.set('sinceSeconds', sinceSeconds)
  if (sinceTime !== undefined) query.set('sinceTime', sinceTime)
  if (tailLines !== undefined) query.set('tailLines', tailLines)
  if (timestamps) query.set('timestamps', 'true')
  return query
}

/** The query that a kubelet gets for a command, or for attaching to a container (registry/core/pod/strategy.go streamParams). */
export function streamQuery(asked: URLSearchParams, withCommand: boolean): URLSearchParams {
  const query = new URLSearchParams()
  if (withCommand) for (const command of asked.getAll('command')) query.append('command', command)
  if (flag(asked, 'stderr')) query.set('error', '1')
  if (flag(asked, 'stdin')) query.set('input', '1')
  if (flag(asked, 'stdout')) query.set('output', '1')
  if (flag(asked, 'tty')) query.set('tty', '1')
  return query
}

/** The query that a kubelet gets for forwarding ports. Throws the 400 of what is no port. */
export function portsQuery(asked: URLSearchParams): URLSearchParams {
  const ports = asked.getAll('ports').flatMap((it) => it.split(','))
  for (const port of ports) {
    if (!/^\d+$/.test(port))
      throw badRequest(
        `cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(port)}: invalid syntax`,
      )
  }
  return new URLSearchParams(ports.length > 0 ? { port: ports.join(',') } : {})
}

interface Named {
  readonly name: string
}

interface Pod extends UnknownObject {
  readonly spec?: {
    readonly containers?: readonly Named[]
    readonly initContainers?: readonly Named[]
    readonly ephemeralContainers?: readonly Named[]
  }
}

/** The container that is meant: the one that is named, or the only one. Throws the 400 that says which there are. */
export function containerOf(object: UnknownObject, asked: string): string {
  const { name } = object.metadata
  const {
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
  } = (object as Pod).spec ?? {}
  const all = [...initContainers, ...containers, ...ephemeralContainers].map((it) => it.name)
  if (asked !== '') {
    if (all.includes(asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const [first, ...others] = containers
  if (first && others.length === 0) return first.name
  const choice = containers.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`
  throw badRequest(`a container name must be specified for pod ${name}${choice}`)
}
