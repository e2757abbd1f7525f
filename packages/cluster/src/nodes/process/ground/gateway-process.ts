import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket as UdpSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { GatewayAnswer, GatewayRequest } from './gateway-messages.ts'

type Handle = Socket | UdpSocket | undefined

interface Waiting {
  readonly resolve: (handle: Handle) => void
  readonly reject: (error: Error) => void
}

/** The gateway program at work, as the cluster sees it. */
export class Gateway {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  readonly #servers = new Map<number, (socket: Socket) => void>()
  readonly #ended: Promise<void>
  #last = 0
  /** Its number on this machine: the name of the namespaces that it is in. */
  readonly pid: number

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child
    this.pid = pid
    child.on('message', (message, handle) => this.#take(message as GatewayAnswer, handle as Handle))
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()))
    void this.#ended.then(() => this.#fail())
  }

  /**
   * Starts the program behind `prefix` (`unshare --net …`). Rejects with what that said when it did not start.
   */
  static async start(prefix: readonly string[]): Promise<Gateway> {
    const line = [...prefix, ...REAPER, process.execPath, programFile()]
    const child = spawn(line[0]!, line.slice(1), {
      // What a terminal sends to its foreground is for the cluster alone.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' },
    })
    const pid = await new Promise<number>((resolve, reject) => {
      let said = ''
      child.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)))
      child.once('error', reject)
      child.once('exit', () => reject(new Error(said.trim() || 'it ended without a word')))
      child.once('message', (message) => resolve((message as { pid: number }).pid))
    })
    return new Gateway(child, pid)
  }

  async dial(host: string, port: number): Promise<Socket> {
    return (await this.#ask('dial', host, port)) as Socket
  }

  async bindUdp(host: string, port: number): Promise<UdpSocket> {
    return (await this.#ask('bind', host, port)) as UdpSocket
  }

  async listen(
    host: string,
    port: number,
    onConnection: (socket: Socket) => void,
  ): Promise<AsyncDisposable> {
    const id = this.#last + 1
    this.#servers.set(id, onConnection)
    try {
      await this.#ask('listen', host, port)
    } catch (error) {
      this.#servers.delete(id)
      throw error
    }
    return {
      [Symbol.asyncDispose]: async () => {
        this.#servers.delete(id)
        this.#send({ ask: 'unlisten', server: id })
      },
    }
  }

  /** Names a process that must not outlive the cluster. */
  watch(pid: number): void {
    this.#send({ ask: 'watch', pid })
  }

  forget(pid: number): void {
    this.#send({ ask: 'forget', pid })
  }

  /** Ends the program, and all that it keeps. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended
  }

  #ask(ask: 'dial' | 'listen' | 'bind', host: string, port: number): Promise<Handle> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ ask, id, host, port })
    })
  }

  #send(request: GatewayRequest): void {
    if (this.#child.connected) this.#child.send(request)
    else this.#fail()
  }

  #fail(): void {
    const error = Object.assign(new Error('the cluster’s gateway has ended'), {
      code: 'ECONNRESET',
    })
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #take(message: GatewayAnswer, handle: Handle): void {
    switch (message.is) {
      case 'here':
        return
      case 'done':
        this.#waiting.get(message.id)?.resolve(handle)
        return void this.#waiting.delete(message.id)
      case 'failed': {
        const error = Object.assign(new Error(message.message), { code: message.code })
        this.#waiting.get(message.id)?.reject(error)
        return void this.#waiting.delete(message.id)
      }
      case 'accepted': {
        const serve = this.#servers.get(message.server)
        // Undefined when the other side has gone again meanwhile.
        if (serve && handle) serve(handle as Socket)
        else (handle as Socket | undefined)?.destroy()
      }
    }
  }
}

/** Stands before the program as the first process of its namespace: takes leave of whatever ends there without a parent. */
const REAPER = ['/bin/sh', '-c', '"$0" "$@"; exit $?']

const programFile = (): string =>
  fileURLToPath(import.meta.resolve('@kubewright/cluster/nodes/gateway'))
