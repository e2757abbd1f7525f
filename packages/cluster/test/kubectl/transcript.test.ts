import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { normalise } from './normalise.ts'
import { formatOutcome, formatTranscript, parseTranscript } from './transcript.ts'

test('a transcript is read and written as it was', () => {
  const files = globSync('scenarios/*.golden', { cwd: import.meta.dirname })
  assert.ok(files.length > 0)
  for (const file of files) {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8')
    assert.equal(formatTranscript(parseTranscript(text)), text)
  }
})

test('a step without a command is refused', () => {
  assert.throws(
    () => parseTranscript('# nothing'),
    /needs a line that begins with "\$ ": # nothing/,
  )
})

test('an outcome tells where each line was written, and how it ended', () => {
  assert.equal(formatOutcome({ stdout: 'a\n\nb\n', stderr: 'c\n', code: 2 }), 'a\nb\n! c\n= 2')
  assert.equal(formatOutcome({ stdout: '', stderr: '', code: 0 }), '')
})

test('what differs from run to run is replaced, and nothing else', () => {
  const cases: Readonly<Record<string, string>> = {
    'web-6444769cf-c6ztn   1/1   Running   0     2m28s':
      'web-<hash>-<random>   1/1   Running   0   <age>',
    'web-6444769cf to 2': 'web-<hash> to 2',
    'kube-root-ca.crt   1   5d': 'kube-root-ca.crt   1   5d',
    'settings-greeting': 'settings-greeting',
    'uid: d6d84d0e-5e20-4f9e-b6ca-ba0fff6f9d8d': 'uid: <uid>',
    'resourceVersion: "905"': 'resourceVersion: "<version>"',
    '{\\"resourceVersion\\":\\"905\\"}': '{\\"resourceVersion\\":\\"<version>\\"}',
    'clusterIP: 10.96.0.7': 'clusterIP: <ip>',
    'version 1.10.96.0.7': 'version 1.10.96.0.7',
    'pod "a" deleted from b namespace': 'pod "a" deleted',
    '! * b\n! * a\n= 1': '! * a\n! * b\n= 1',
  }
  for (const [given, expected] of Object.entries(cases)) assert.equal(normalise(given), expected)
})
