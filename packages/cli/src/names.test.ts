import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiNames, camel, checkDomain, checkProjectName, kebab } from './names.ts'

test('a kind gives its name to files, variables and paths', () => {
  assert.deepEqual(apiNames('learn.com', 'appotp', 'v1', 'AppOTP'), {
    group: 'appotp.learn.com',
    shortGroup: 'appotp',
    version: 'v1',
    kind: 'AppOTP',
    plural: 'appotps',
    file: 'app-otp',
    variable: 'appOTP',
  })
  const words = ['Memcached', 'MyHTTPServer', 'HTTPServer', 'V2Thing', 'IPAddress', 'A']
  assert.deepEqual(
    words.map((it) => [it, kebab(it), camel(it)]),
    [
      ['Memcached', 'memcached', 'memcached'],
      ['MyHTTPServer', 'my-http-server', 'myHTTPServer'],
      ['HTTPServer', 'http-server', 'httpServer'],
      ['V2Thing', 'v2-thing', 'v2Thing'],
      ['IPAddress', 'ip-address', 'ipAddress'],
      ['A', 'a', 'a'],
    ],
  )
})

test('a group may be empty, a plural may be given', () => {
  const names = apiNames('example.com', '', 'v1beta2', 'Cactus', 'cacti')
  assert.equal(names.group, 'example.com')
  assert.equal(names.plural, 'cacti')
})

test('a variable is never a word of the language or of the scaffold', () => {
  const variables = ['Class', 'Function', 'Package', 'Status', 'Controller', 'Log', 'App'].map(
    (it) => apiNames('example.com', 'a', 'v1', it).variable,
  )
  assert.deepEqual(variables, [
    'classObject',
    'functionObject',
    'packageObject',
    'statusObject',
    'controllerObject',
    'logObject',
    'appObject',
  ])
})

test('names that Kubernetes would refuse are refused with what was expected', () => {
  const refused: readonly (readonly [() => unknown, RegExp])[] = [
    [
      () => apiNames('a.b', 'Cache', 'v1', 'A'),
      /^Failure: --group "Cache" cannot be used: expected lower case/,
    ],
    [
      () => apiNames('a.b', 'c', '1', 'A'),
      /^Failure: --version "1" cannot be used: expected v, a number/,
    ],
    [() => apiNames('a.b', 'c', 'v1gamma1', 'A'), /--version "v1gamma1"/],
    [() => apiNames('a.b', 'c', 'v1', 'memcached'), /--kind "memcached" .* upper camel case/],
    [() => apiNames('a.b', 'c', 'v1', 'My-Kind'), /--kind "My-Kind"/],
    [() => apiNames('a.b', 'c', 'v1', 'K'.repeat(64)), /at most 63/],
    [() => apiNames('a.b', 'c', 'v1', 'A', 'As'), /--plural "As" cannot be used/],
    [() => checkDomain('localhost'), /--domain "localhost" .* at least one dot/],
    [() => checkDomain('https://example.com'), /--domain/],
    [
      () => checkProjectName('My Operator'),
      /--project-name "My Operator" .* such as `memcached-operator`/,
    ],
    [() => checkProjectName(''), /--project-name ""/],
  ]
  for (const [act, message] of refused) assert.throws(act, message)
})
