import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultsText } from './results.ts'
import { withFlags } from './reference/control-plane.ts'
import { goResults } from './suites/controller-runtime.ts'
import { namesOf } from './suites/e2e.ts'
import { casesIn, operatorsIn } from './suites/external.ts'
import { junitResults, oneLine } from './suites/junit.ts'
import { rustResults } from './suites/kube-rs.ts'
import { resultsOf } from './suites/test-cmd.ts'
import { CASES } from './kubectl/cases.ts'
import { inOrder, normalised, shapeOnly } from './kubectl/normalise.ts'

test('results are a head and a test a line, in the order of the names', () => {
  const text = resultsText('s on kubewright', { a: 'v1', b: 'v2' }, [
    { name: 'z', outcome: 'passed' },
    { name: 'b', outcome: 'skipped' },
    { name: 'b', outcome: 'failed', reason: 'why' },
    { name: 'B', outcome: 'passed' },
  ])
  assert.equal(
    text,
    [
      '# s on kubewright: 2 passed, 1 failed, 1 skipped',
      '# a v1, b v2',
      'passed B',
      'failed b (why)',
      'skipped b',
      'passed z',
      '',
    ].join('\n'),
  )
})

test('a JUnit report of Ginkgo is read: what was selected, and set-up only where it failed', () => {
  const xml = `<testsuites tests="6"><testsuite>
    <testcase name="[BeforeSuite]" status="passed" time="1"></testcase>
    <testcase name="[It] a &lt;b&gt; &#34;c&#34;" status="passed" time="1"/>
    <testcase name="[It] not selected" status="skipped"><skipped message="skipped"></skipped></testcase>
    <testcase name="[It] left out" status="skipped"><skipped message="skipped - no nodes"></skipped></testcase>
    <testcase name="[It] broken" status="failed"><failure message="Expected&#xA;  0x12345678 at 127.0.0.1:4321" type="failed">more</failure></testcase>
    <testcase name="[AfterSuite]" status="failed"><failure message="gone"/></testcase>
  </testsuite></testsuites>`
  assert.deepEqual(junitResults(xml), [
    { name: 'a <b> "c"', outcome: 'passed' },
    { name: 'left out', outcome: 'skipped', reason: 'skipped - no nodes' },
    { name: 'broken', outcome: 'failed', reason: 'Expected 0x… at 127.0.0.1:… more' },
    { name: '[AfterSuite]', outcome: 'failed', reason: 'gone' },
  ])
})

test('what Go, Rust, upstream’s scripts and the outside suites print is read', () => {
  assert.deepEqual(
    goResults(
      '--- FAIL: A (0s)\n    --- PASS: A/x (0s)\n    --- FAIL: A/y (0s)\n--- SKIP: B (0s)\n',
    ),
    [
      { name: 'A/x', outcome: 'passed' },
      { name: 'A/y', outcome: 'failed' },
      { name: 'B', outcome: 'skipped' },
    ],
  )
  assert.deepEqual(
    rustResults(
      'test a::b ... ok\ntest c ... FAILED\n\nfailures:\n\n---- c stdout ----\nno\n\nfailures:\n    c\n',
    ),
    [
      { name: 'a::b', outcome: 'passed' },
      { name: 'c', outcome: 'failed', reason: 'no' },
    ],
  )
  assert.deepEqual(
    resultsOf(
      'Recording: record_command_canary\nError when running record_command_canary\nRecording: run_a\nok\nRecording: run_b\nExpected x\ntrace\nError when running run_b\n',
    ),
    [
      { name: 'run_a', outcome: 'passed' },
      { name: 'run_b', outcome: 'failed', reason: 'Expected x' },
    ],
  )
  assert.deepEqual(casesIn('FAIL b: got 1\n1 passed, 1 failed\n', ['a', 'b']), [
    { name: 'b', outcome: 'failed', reason: 'got 1' },
    { name: 'a', outcome: 'passed' },
  ])
  assert.deepEqual(
    operatorsIn(
      'ok   x: 3 passed, 0 failed (1 s)\nFAIL y: 1 passed, 1 failed (1 s)\n  - z: dry\n',
      [],
    ),
    [
      { name: 'x', outcome: 'passed', reason: '3 answers as recorded, 0 not' },
      { name: 'y', outcome: 'failed', reason: '1 answers as recorded, 1 not' },
      { name: 'y: z: dry', outcome: 'failed' },
    ],
  )
})

test('flags take the place of those of the same name', () => {
  assert.deepEqual(withFlags(['--a=1', '--b=2'], ['--b=3', '--c=4']), ['--a=1', '--b=3', '--c=4'])
})

test('lists of specs are names, each once, and no list has those of another of its kind', async () => {
  const conformance = await Promise.all(
    ['no-node', 'simulated-node', 'process-node', 'real-containers'].map((it) =>
      namesOf(`conformance-${it}`),
    ),
  )
  assert.deepEqual(
    conformance.map((it) => it.length),
    [144, 84, 17, 201],
  )
  const all = conformance.flat()
  assert.equal(new Set(all).size, 446)
  assert.ok(all.every((it) => it.startsWith('[sig-') && it.includes('[Conformance]')))
})

test('cases of kubectl have names of their own', () => {
  assert.equal(new Set(CASES.map((it) => it.name)).size, CASES.length)
})

test('what differs from run to run is taken out, and nothing else', () => {
  assert.equal(
    normalised(
      'front-7bb66db988-5wsv2   1/1   12s  front-door 10.0.3.4 resourceVersion: "77" 300m',
    ),
    'front-<hash>  1/1  <age>  front-door <ip> resourceVersion: "<version>" 300m',
  )
  assert.equal(inOrder('x:\n* b\n* a\nend\n'), 'x:\n* a\n* b\nend\n')
  assert.equal(oneLine('dial tcp: lookup a.b on 10.0.0.1:53: no'), 'dial tcp: lookup a.b: no')
  assert.equal(oneLine("thread 'a::b' (4653) panicked"), "thread 'a::b' panicked")
  assert.equal(oneLine('a\n  b 2026-01-02T03:04:05Z /home/x/y/z.go'), 'a b … …/z.go')
})

test('what a field is for is not repeated, only that it is there', () => {
  const text =
    'KIND:  Service\n\nDESCRIPTION:\n  For people.\n\nFIELDS:\n  spec\t<Spec>\n  Says what.\n  enum: A, B'
  assert.equal(shapeOnly(text), 'KIND:  Service\nFIELDS:\n  spec\t<Spec>\n  enum: A, B')
})
