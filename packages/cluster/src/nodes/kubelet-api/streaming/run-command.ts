import type { Answer, ApiRequest } from '../../../apiserver/http/message.ts'
import { messageOf } from '../plain-answer.ts'
import type { ContainerRef, ContainerStreams, PodAccess } from '../pod-access.ts'
import { type Outcome, outcomeText } from './outcome.ts'
import { flushed, openSession, type Session, wantedStreams } from './remote-command.ts'
import { terminalSizes } from './resize.ts'

/** Answers `/exec`: runs a command for a client, and tells him how it ended. */
export function execAnswer(access: PodAccess, of: ContainerRef, request: ApiRequest): Answer {
  const command = request.query.getAll('command')
  return answered(request, request.query.get('tty') === '1', async (streams, signal) => ({
    is: 'exited',
    code: await access.exec(of, command, streams, signal).catch(failing('executing command in')),
    command,
  }))
}

/** Answers `/attach`: joins a client and the process of a container, which has a terminal or has not, whatever the client says. */
export function attachAnswer(
  access: PodAccess,
  of: ContainerRef,
  tty: boolean,
  request: ApiRequest,
): Answer {
  return answered(request, tty, async (streams, signal) => {
    await access.attach(of, streams, signal).catch(failing('attaching to'))
    return { is: 'exited', code: 0, command: [] }
  })
}

const failing =
  (what: string) =>
  (error: unknown): never => {
    throw new Error(`error ${what} container: ${messageOf(error)}`, { cause: error })
  }

type Run = (streams: ContainerStreams, signal: AbortSignal) => Promise<Outcome>

function answered(request: ApiRequest, tty: boolean, run: Run): Answer {
  const wanted = wantedStreams(request.query)
  if ('status' in wanted) return wanted
  return openSession(request, wanted, (session) => void serve(session, tty, run))
}

async function serve(session: Session, tty: boolean, run: Run): Promise<void> {
  const { stdin, stdout, stderr } = session
  // Nothing comes there: reading shows their ends.
  for (const it of [stdout, stderr, session.error]) it?.resume()
  const gone = new AbortController()
  void session.closed.then(() => gone.abort())
  const streams: ContainerStreams = {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && !tty && { stderr }),
    tty,
    resize: terminalSizes(session.resize),
  }
  const outcome = await run(streams, gone.signal).catch((error: unknown): Outcome => ({
    is: 'failed',
    message: messageOf(error),
  }))
  await Promise.all([flushed(stdout), flushed(stderr)])
  session.error.write(outcomeText(outcome, session.format))
  await flushed(session.error)
  session.close()
}
