import { aborted } from './aborted.ts'
import { startEtcd } from './etcd.ts'
import { etcdOptions, EtcdUsage } from './etcd-flags.ts'

/**
 * Runs one of the programs whose place kubewright takes, until SIGTERM or SIGINT; resolves to its exit code. What is wrong is said on
 * standard error, in the words of the real program where it has some.
 */
export async function dropIn(program: string, argv: readonly string[]): Promise<number> {
  switch (program) {
    case 'kube-apiserver': {
      // Not for etcd, whose start is waited for.
      const { runApiServer } = await import('./apiserver.ts')
      return runApiServer(argv, stopSignal())
    }
    case 'etcd':
      return runEtcd(argv, stopSignal())
    default:
      console.error(`there is no drop-in for ${program}: kube-apiserver and etcd are there`)
      return 2
  }
}

/** Aborts at the first SIGTERM or SIGINT; a second one ends the process as if nobody listened. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

async function runEtcd(argv: readonly string[], stop: AbortSignal): Promise<number> {
  try {
    const etcd = await startEtcd(etcdOptions(argv))
    console.error(`etcd by kubewright: serving ${etcd.urls.join(', ')}`)
    await aborted(stop)
    await etcd.close()
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return error instanceof EtcdUsage ? 2 : 1
  }
}
