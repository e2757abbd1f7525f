import { spawnSync } from 'node:child_process'
import { describe } from 'node:test'
import { processNodesSuite } from './process-nodes.suite.ts'

const tried = spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'ip', '-V'])
const isGranted = tried.status === 0
// Where all is to be tested, a machine that cannot is a failure.
const skip =
  isGranted || process.env['CI'] === 'true'
    ? false
    : 'this machine grants no namespaces (root, unshare and ip are needed)'

describe('process nodes whose pods have a network of their own', { skip }, () =>
  processNodesSuite('namespaces'),
)
