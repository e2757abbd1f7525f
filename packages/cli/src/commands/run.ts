import { spawn } from 'node:child_process'
import path from 'node:path'
import { Command } from 'commander'
import { Failure } from '../failure.ts'
import { chooseCluster } from '../kubeconfig.ts'
import { openProject } from '../project.ts'

interface RunOptions {
  readonly kubeconfig?: string
}

/** `kubewright run`: the operator on this machine, against the cluster. */
export function runCommand(): Command {
  return new Command('run')
    .description(
      'Run the operator on this machine, against the cluster; what stands behind -- goes to it.',
    )
    .option('--kubeconfig <file>', 'the cluster to run against')
    .argument('[flags...]', 'flags for the operator')
    .action(async (flags: readonly string[], { kubeconfig }: RunOptions) => {
      const { root } = await openProject(process.cwd())
      const cluster = await chooseCluster(kubeconfig, root)
      console.error(`cluster: ${cluster.kubeconfig ?? 'default'} (${cluster.because})`)
      process.exitCode = await runOperator(root, cluster.kubeconfig, flags)
    })
}

/** Runs src/main.ts until it ends or this process is told to; signals are passed on. Resolves to its exit code. */
function runOperator(
  root: string,
  kubeconfig: string | undefined,
  flags: readonly string[],
): Promise<number> {
  const env = { ...process.env, ...(kubeconfig ? { KUBECONFIG: kubeconfig } : {}) }
  const child = spawn(process.execPath, [path.join('src', 'main.ts'), ...flags], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  const pass = (signal: NodeJS.Signals) => (): void => void child.kill(signal)
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((it) => [it, pass(it)] as const)
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return new Promise((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new Failure(`the operator could not be started: ${cause.message}`, { cause })),
    )
    child.on('exit', (code, signal) => {
      for (const [it, handler] of handlers) process.off(it, handler)
      resolve(code ?? (signal ? 1 : 0))
    })
  })
}
