import { describe } from 'node:test'
import { processNodesSuite } from './process-nodes.suite.ts'

describe('process nodes whose pods have loopback addresses', () => processNodesSuite('loopback'))
