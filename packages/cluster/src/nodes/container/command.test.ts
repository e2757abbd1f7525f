import assert from 'node:assert/strict'
import test from 'node:test'
import { expectedExit } from './exit-plan.ts'
import { judgeCommand, type Verdict } from './command.ts'

const ends = (ms: number, code: number): Verdict => ({ is: 'ends', exit: { ms, code } })
const runs: Verdict = { is: 'runs' }

const CASES: readonly (readonly [readonly string[], Verdict])[] = [
  [['true'], ends(0, 0)],
  [['/bin/false'], ends(0, 1)],
  [['echo', 'hello'], ends(0, 0)],
  [['sleep', '5'], ends(5000, 0)],
  [['sleep', '0.5'], ends(500, 0)],
  [['sleep', '1m', '2s'], ends(62_000, 0)],
  [['sleep', 'infinity'], runs],
  [['sleep', 'x'], ends(0, 1)],
  [['sh', '-c', 'exit 3'], ends(0, 3)],
  [['sh', '-c', 'exit 256'], ends(0, 0)],
  [['sh', '-c', 'sleep 2; exit 1'], ends(2000, 1)],
  [['sh', '-c', 'echo a && false && sleep 9'], ends(0, 1)],
  [['sh', '-c', 'false || echo b'], ends(0, 0)],
  [['sh', '-c', 'date; echo Hello from the Kubernetes cluster'], ends(0, 0)],
  [['/bin/sh', '-ec', 'echo "a b" > /data/x\nsleep 1'], ends(1000, 0)],
  [['bash', '-c', 'exec sleep 4; echo never'], ends(4000, 0)],
  [['sh', '-c', 'while true; do date; sleep 1; done'], runs],
  [['sh', '-c', 'touch a; tail -f /dev/null'], runs],
  [['sh'], runs],
  [['/agnhost', 'porter', '--json-response'], runs],
  [['/agnhost', 'mounttest', '--fs_type=/'], { is: 'unknown' }],
  [['nginx', '-g', 'daemon off;'], { is: 'unknown' }],
  [['sh', '-c', 'sleep 1; my-server --port 80'], { is: 'unknown' }],
]

for (const [words, verdict] of CASES) {
  test(`${JSON.stringify(words)} ${verdict.is}`, () => {
    assert.deepEqual(judgeCommand(words), verdict)
  })
}

test('servers are known by their image, and run in a Job too', () => {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }
  const plan = (image: string, command?: readonly string[]): unknown => {
    const container = { name: 'main', image, ...(command && { command }) }
    const spec = { restartPolicy: 'Never', containers: [container] } as const
    return expectedExit({ metadata: { ownerReferences: [owner] }, spec }, container, false)
  }
  assert.equal(plan('registry.k8s.io/pause:3.10'), undefined)
  assert.equal(plan('nginx'), undefined)
  assert.deepEqual(plan('perl:5.34', ['perl', '-wle', 'print 1']), { ms: 0, code: 0 })
  assert.deepEqual(plan('my-batch'), { ms: 0, code: 0 })
  assert.equal(plan('registry.k8s.io/e2e-test-images/agnhost:2.63.0'), undefined)
})
