import assert from 'node:assert/strict'
import { access, readdir } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient } from 'kubewright'
import { background, folder, run, type Outcome } from '../../../../packages/cli/test/command.ts'
import { AppOTP } from '../kind.ts'

const DEMO = fileURLToPath(new URL('../../demo.mjs', import.meta.url))
const ESCAPE = '\u001B'
const demo = (cwd: string, ...args: string[]): Promise<Outcome> =>
  run(process.execPath, [DEMO, ...args], { cwd })

/** The demonstration until it has made its sample and waits for Ctrl-C. */
const staying = async (cwd: string, ...args: string[]): Promise<ReturnType<typeof background>> => {
  const child = background(process.execPath, [DEMO, ...args], { cwd })
  await child.printed(/Ctrl-C ends it\./)
  return child
}

test('--once shows create, upgrade, scale, repair and delete, and ends well', async () => {
  await using made = await folder({ modules: false })
  const { code, out, err } = await demo(made.path, '--once')
  assert.equal(err, '')
  assert.equal(code, 0, out)
  // A status is told when its watch hears of it, which may be a moment after the step is done.
  assert.match(out, /status +appotp-sample deploymentStatus: progressing, 0 of 2 ready\n/)
  assert.match(out, /status +appotp-sample deploymentStatus: normal, 2 of 2 ready\n/)
  const [intro, ...steps] = out.split('\n$ ')
  assert.match(
    intro!,
    /control plane at https:\/\/127\.0\.0\.1:\d+, ready in \d+ ms\nkubeconfig in \.kubewright\/kubeconfig, objects in memory/,
  )
  const told: readonly (readonly RegExp[])[] = [
    [
      /^kubectl apply -f .*appotp_v1_appotp\.yaml\n/,
      / \d+\.\d\ds {2}event +AppOTP appotp-sample created\n.*queue +default\/appotp-sample\n.*reconcile +default\/appotp-sample\n/,
      /created +Deployment default\/appotp-sample\n/,
      /created +Service default\/appotp-sample\n/,
      /replicaset +appotp-sample-\w+ of the Deployment controller: 2 pods wanted\n/,
      /done +2 pods of nginx:1\.22\.0 Ready and deploymentStatus normal\n/,
    ],
    [
      /^kubectl patch .*"image":"nginx:1\.23\.0"/,
      /changed +Deployment default\/appotp-sample\n/,
      /pod +appotp-sample-\w+-\w+ Running, Ready\n/,
      /done +the pods rolled to nginx:1\.23\.0/,
    ],
    [/^kubectl patch .*"size":4/, /done +4 pods Ready\n/],
    [
      /^kubectl delete service/,
      /event +Service default\/appotp-sample deleted\n/,
      /created +Service default\/appotp-sample\n/,
      /done +the Service back again\n/,
    ],
    [
      /^kubectl delete appotp/,
      /event +AppOTP default\/appotp-sample deleted\n/,
      /done +the Deployment, the Service and the pods gone with it\n/,
      /\neverything happened as it should\n$/,
    ],
  ]
  assert.equal(steps.length, told.length)
  for (const [index, patterns] of told.entries())
    for (const pattern of patterns) assert.match(steps[index]!, pattern)
  assert.ok(!out.includes(ESCAPE), 'no colours where nobody can see them')
  assert.ok(out.split('\n').length < 160, 'what repeats itself is folded')
  assert.deepEqual(await readdir(made.path), ['.kubewright'])
})

test('--help and what is not understood', async () => {
  await using made = await folder({ modules: false })
  const help = await demo(made.path, '--help')
  assert.equal(help.code, 0)
  for (const flag of ['--once', '--port PORT', '--data-dir FOLDER', '--help'])
    assert.ok(help.out.includes(flag))
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['--what'],
      /^Unknown option '--what': this is what npm start takes\n\nnpm start -- \[options\]/,
    ],
    [['here'], /^Unexpected argument 'here'/],
    [['--port', 'high'], /^--port high is no port: expected a whole number from 0/],
    [['--port=70000'], /^--port 70000 is no port/],
    [['--port'], /^Option '--port <value>' argument missing/],
    [['--data-dir', ''], /^--data-dir is empty: expected the path of a folder/],
  ]
  for (const [args, message] of wrong) {
    const { code, err } = await demo(made.path, ...args)
    assert.match(err, message)
    assert.equal(code, 2)
  }
  assert.deepEqual(await readdir(made.path), [])
})

test('a port in use is told of', async () => {
  await using made = await folder({ modules: false })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { code, err } = await demo(made.path, '--port', `${port}`)
  server.close()
  assert.equal(
    err,
    `\nerror: port ${port} of 127.0.0.1 is in use by another process: stop that one, or name another port (0 takes any free one)\n`,
  )
  assert.equal(code, 1)
})

test('it stays until Ctrl-C, and a data folder keeps what was there', async () => {
  await using made = await folder({ modules: false })
  const dataDir = ['--data-dir', 'data']
  const key = { namespace: 'default', name: 'appotp-sample' }
  const kubeconfig = path.join(made.path, '.kubewright/kubeconfig')
  {
    await using first = await staying(made.path, ...dataDir)
    const client = createClient({ kubeconfig })
    await client.patch(AppOTP, key, { type: 'merge', body: { spec: { size: 3 } } })
    await first.printed(/deploymentStatus: normal, 3 of 3 ready/)
    await client.close()
    const { code, err, out } = await first.end('SIGINT')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /kubectl get appotp,deploy,rs,pods,svc/)
    assert.deepEqual((await readdir(made.path)).sort(), ['.kubewright', 'data'])
    assert.deepEqual(await readdir(path.join(made.path, '.kubewright')), ['kubeconfig'])
  }
  {
    await using second = await staying(made.path, ...dataDir)
    await second.printed(/appotp-sample is there from an earlier run, and is left as it is/)
    await second.printed(/deploymentStatus: normal, 3 of 3 ready/)
    const { code, err } = await second.end('SIGTERM')
    assert.deepEqual([code, err], [0, ''])
  }
  const { code, out } = await demo(made.path, '--once', ...dataDir)
  assert.match(out, /# left by an earlier run/)
  assert.match(out, /everything happened as it should/)
  assert.equal(code, 0)
  await access(path.join(made.path, 'data/cluster.db'))
})
