import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Extent, startControlPlane } from './reference/control-plane.ts'

const HELP = `npm run oracle -- [options]

Starts a real kube-apiserver v1.36.3 with etcd on loopback, built from Go modules the first time, prints the path of a kubeconfig for
it, and ends it on Ctrl-C.

  --with apiserver|kcm|full   the server alone, with kube-controller-manager, or with kube-scheduler too (default apiserver)
  --nodes N                   simulated nodes, run by kwok (default 0)
  --port N                    where it listens on 127.0.0.1 (default: any free port)
  --folder DIR                where its files and logs lie (default: a temporary folder, removed at the end)
  --help                      this text
`

/** Runs the reference until SIGINT or SIGTERM; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  try {
    const options = optionsOf(argv)
    if (options === undefined) {
      console.log(HELP)
      return 0
    }
    await run(options, stop.signal)
    return 0
  } catch (error) {
    console.error(`error: ${(error as Error).message}`)
    return 1
  }
}

interface Options {
  readonly extent: Extent
  readonly nodes: number
  readonly port: number | undefined
  readonly folder: string | undefined
}

function optionsOf(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      with: { type: 'string', default: 'apiserver' },
      nodes: { type: 'string', default: '0' },
      port: { type: 'string' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    extent: extentOf(values.with),
    nodes: whole('--nodes', values.nodes),
    port: values.port === undefined ? undefined : whole('--port', values.port),
    folder: values.folder,
  }
}

function extentOf(text: string): Extent {
  if (text === 'apiserver' || text === 'kcm' || text === 'full') return text
  throw new Error(`--with ${text}: expected apiserver, kcm or full`)
}

function whole(flag: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new Error(`${flag} ${text}: expected a whole number`)
}

async function run({ extent, nodes, port, folder }: Options, stop: AbortSignal): Promise<void> {
  const made = folder ?? (await mkdtemp(path.join(tmpdir(), 'kubewright-oracle-')))
  try {
    const plane = await startControlPlane({
      extent,
      nodes,
      folder: path.resolve(made),
      ...(port === undefined ? {} : { port }),
    })
    console.log(plane.kubeconfig)
    console.error(`kube-apiserver at ${plane.url}; Ctrl-C ends it`)
    try {
      await Promise.race([aborted(stop), plane.failed])
    } finally {
      await plane.close()
    }
  } finally {
    if (folder === undefined) await rm(made, { recursive: true, force: true })
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
