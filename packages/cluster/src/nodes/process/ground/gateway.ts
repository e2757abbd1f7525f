// A program of its own: what a cluster has inside its namespaces, and what outlives it for a moment when it is killed.
//
// It makes sockets where it is and hands them over its channel, so that the cluster's process serves addresses that its own network does
// not have. When the channel closes, the cluster is gone: it ends, and with it, as the first process of its namespace (or by hand where
// there is none), all that was started.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { GatewayAnswer, GatewayRequest } from './gateway-messages.ts'

const servers = new Map<number, Server>()
const watched = new Set<number>()

process.on('message', (message: GatewayRequest) => {
  switch (message.ask) {
    case 'dial':
      return dial(message.id, message.host, message.port)
    case 'listen':
      return listen(message.id, message.host, message.port)
    case 'bind':
      return bind(message.id, message.host, message.port)
    case 'unlisten':
      servers.get(message.server)?.close()
      servers.delete(message.server)
      return undefined
    case 'watch':
      return void watched.add(message.pid)
    case 'forget':
      return void watched.delete(message.pid)
  }
})

process.on('disconnect', () => {
  endWatched()
  process.exit(0)
})

// Whoever stops the cluster's processes politely means the cluster, which stops its pods first.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {})

answer({ is: 'here', pid: ownPid() })

function answer(
  message: GatewayAnswer,
  handle?: Socket | UdpSocket,
  sent: () => void = () => {},
): void {
  if (process.connected) process.send?.(message, handle, {}, sent)
}

function failed(id: number, { code = 'EIO', message }: NodeJS.ErrnoException): void {
  answer({ is: 'failed', id, code, message })
}

function dial(id: number, host: string, port: number): void {
  const socket = connect(port, host)
  // What the other side says is for who asked for the connection.
  socket.pause()
  socket.once('connect', () => answer({ is: 'done', id }, socket))
  socket.once('error', (error) => failed(id, error))
}

function listen(id: number, host: string, port: number): void {
  const server = createServer({ pauseOnConnect: true }, (socket) =>
    answer({ is: 'accepted', server: id }, socket),
  )
  server.once('error', (error) => failed(id, error))
  server.listen(port, host, () => {
    servers.set(id, server)
    answer({ is: 'done', id })
  })
}

function bind(id: number, address: string, port: number): void {
  const socket = createSocket('udp4')
  socket.once('error', (error) => failed(id, error))
  // Two that read from one socket would each get a part of what comes.
  const sent = (): void => void socket.close()
  socket.bind({ port, address, exclusive: true }, () => answer({ is: 'done', id }, socket, sent))
}

/** This process's number on the machine: /proc is still the one of the namespace that it came from. */
function ownPid(): number {
  try {
    return Number(readlinkSync('/proc/self'))
  } catch {
    return process.pid
  }
}

/** Ends what was started without a namespace of its own: the processes that were named, their sessions, and all below them. */
function endWatched(): void {
  if (watched.size === 0) return
  for (let round = 0; round < 20; round++) {
    const found = belonging(watched)
    if (found.length === 0) return
    // Stopped first, so that none of them starts another meanwhile.
    for (const name of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of found) send(pid, name)
    for (const pid of found) watched.add(pid)
  }
}

function send(pid: number, name: 'SIGSTOP' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended by itself.
  }
}

function belonging(roots: ReadonlySet<number>): readonly number[] {
  const all = readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .map(Number)
    .flatMap(readProcess)
  const members = new Set<number>()
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const it of all)
      if ([it.pid, it.parent, it.group, it.session].some((id) => roots.has(id) || members.has(id)))
        members.add(it.pid)
  }
  return [...members].filter((pid) => pid !== process.pid)
}

interface Known {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
}

/** `pid (name) state parent group session …`: the name may hold anything. Zombies are none any more. */
function readProcess(pid: number): readonly Known[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return []
    return [{ pid, parent: Number(parent), group: Number(group), session: Number(session) }]
  } catch {
    return []
  }
}
