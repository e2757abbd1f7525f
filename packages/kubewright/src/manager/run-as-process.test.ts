import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { createLogger, type LogEntry } from '../base/logger.ts'
import { ConfigMap } from '../kinds/core/v1.ts'
import { manager } from './manager.ts'
import { runAsProcess } from './run-as-process.ts'

/** Runs a manager with these flags; answers with its log and a promise of its end. */
async function run(
  t: TestContext,
  flags: readonly string[],
): Promise<{ log: LogEntry[]; ended: Promise<void>; started: Promise<void> }> {
  const server = createApiServer({})
  const { argv, exitCode } = process
  process.argv = [...argv.slice(0, 2), ...flags]
  t.after(() => {
    process.argv = argv
    process.exitCode = exitCode
    return server.close()
  })
  const log: LogEntry[] = []
  const started = Promise.withResolvers<void>()
  const app = manager({ name: 'process' })
  app.controller(ConfigMap).reconcile(async () => {})
  const options = {
    transport: (request: Request) => server.fetch(request),
    ports: { health: 0, metrics: false, webhook: false } as const,
    logger: createLogger((entry) => {
      log.push(entry)
      if (entry.message === 'started') started.resolve()
    }),
  }
  // This process goes on after the manager's end.
  const ended = runAsProcess({ ...app.describe(), options }, () => {})
  return { log, ended, started: started.promise }
}

test('a process runs until SIGTERM, and then ends well', async (t) => {
  const { log, ended, started } = await run(t, [
    '--leader-elect',
    '--health-probe-bind-address=127.0.0.1:0',
  ])
  await started
  process.emit('SIGTERM', 'SIGTERM')
  await ended
  assert.equal(process.exitCode, undefined)
  assert.deepEqual(
    log.filter((it) => it.level === 'error'),
    [],
  )
  assert.ok(log.some((it) => it.message === 'stopping' && it.fields['signal'] === 'SIGTERM'))
  assert.equal(process.listenerCount('SIGTERM'), 0)
})

test('a process that cannot start says why and sets its exit code', async (t) => {
  const { log, ended } = await run(t, ['--metrics-bind-address=nowhere'])
  await ended
  assert.equal(process.exitCode, 1)
  assert.match(
    String(log.at(-1)?.fields['error']),
    /"nowhere" is no address to listen on; :8081 or 0 \(off\) was expected/,
  )
})

test('a process told to stop ends, whatever in it does not', { timeout: 30_000 }, async () => {
  const at = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    const { manager } = await import(${at('manager.ts')})
    const { createApiServer } = await import('@kubewright/cluster/apiserver')
    const { fetch } = createApiServer()
    setInterval(() => {}, 1000)
    await manager({ name: 'deaf' }).run({ transport: fetch, ports: { health: false, metrics: false, webhook: false } })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
    if (!said.includes('"started"') && `${said}${chunk}`.includes('started')) child.kill('SIGTERM')
    said += chunk
  }
  if (child.exitCode === null) await once(child, 'exit')
  assert.equal(child.exitCode, 0)
  assert.match(said, /the process ends though something in it goes on/)
})
