import type { Pod } from 'kubewright/kinds/core/v1'
import type { Answer, ApiRequest } from '../../apiserver/http/message.ts'
import { containersOf, logProblem } from './container-state.ts'
import { messageOf, plainAnswer } from './plain-answer.ts'
import type { ContainerRef, KubeletHost, LogOptions } from './pod-access.ts'

/** Answers `/containerLogs`. */
export async function logsAnswer(
  host: KubeletHost,
  pod: Pod,
  of: ContainerRef,
  { query, signal }: ApiRequest,
): Promise<Answer> {
  const { container } = of
  const name = JSON.stringify(container)
  if (!containersOf(pod).some((it) => it.name === container))
    return plainAnswer(404, `container ${name} not found in pod ${JSON.stringify(of.name)}`)
  const options = readOptions(query, host.now())
  const problem = logProblem(pod, container, options.previous)
  if (problem !== undefined) return plainAnswer(400, problem)
  try {
    const body = await host.access.logs(of, options, signal)
    return { status: 200, headers: { 'content-type': 'text/plain' }, body }
  } catch (error) {
    return plainAnswer(400, messageOf(error))
  }
}

/** What a query asks for at `now`. Its values have been checked by the API server. */
function readOptions(query: URLSearchParams, now: number): LogOptions {
  const on = (name: string): boolean => query.get(name) === 'true'
  const number = (name: string): number | undefined => {
    const text = query.get(name)
    return text === null || text === '' ? undefined : Number(text)
  }
  const seconds = number('sinceSeconds')
  const sinceTime = query.get('sinceTime')
  const since = sinceTime ? Date.parse(sinceTime) : seconds && now - seconds * 1000
  const tailLines = number('tailLines')
  const limitBytes = number('limitBytes')
  return {
    follow: on('follow'),
    previous: on('previous'),
    timestamps: on('timestamps'),
    ...(since !== undefined && { since }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
  }
}
