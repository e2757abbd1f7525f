import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ETCD_FLAGS, etcdOptions, EtcdUsage } from './etcd-flags.ts'

test('etcd is told the same with one dash or two, with = or the next argument', () => {
  const expected = {
    dataDir: '/d',
    fsync: false,
    listen: [new URL('http://127.0.0.1:1'), new URL('http://[::1]:2')],
  }
  const urls = 'http://127.0.0.1:1,http://[::1]:2'
  for (const argv of [
    ['--data-dir=/d', `--listen-client-urls=${urls}`, '--unsafe-no-fsync'],
    ['-data-dir', '/d', '-listen-client-urls', urls, '-unsafe-no-fsync=true'],
    ['--data-dir=/e', '--data-dir', '/d', '--listen-client-urls', urls, '--unsafe-no-fsync=1'],
  ])
    assert.deepEqual(etcdOptions(argv), expected, argv.join(' '))
})

test('etcd without a word listens where etcd does, and keeps what it answers', () => {
  const { dataDir, listen, fsync } = etcdOptions([])
  assert.deepEqual(
    [dataDir, listen[0]!.href, fsync],
    ['default.etcd', 'http://localhost:2379/', true],
  )
  assert.equal(etcdOptions(['--name=x', '--unsafe-no-fsync=false']).dataDir, 'x.etcd')
})

test('all that kube-api-test gives etcd is taken', () => {
  const flags =
    '-data-dir d -wal-dir w --listen-client-urls http://localhost:1 --advertise-client-urls http://localhost:1 ' +
    '--listen-peer-urls http://localhost:2 --initial-advertise-peer-urls http://localhost:2 --initial-cluster default=http://localhost:2'
  assert.equal(etcdOptions(flags.split(' ')).dataDir, 'd')
})

test('what etcd does not take is refused in the words of Go', () => {
  for (const [argument, sentence] of [
    ['--foo', 'flag provided but not defined: -foo'],
    ['--data-dir', 'flag needs an argument: -data-dir'],
    ['--pre-vote=zz', 'invalid boolean value "zz" for -pre-vote: parse error'],
    [
      '--listen-client-urls=foo',
      'invalid value "foo" for flag -listen-client-urls: URL scheme must be http, https, unix, or unixs: foo',
    ],
    ['foo', "'foo' is not a valid flag; etcd takes flags alone"],
  ] as const)
    assert.throws(() => etcdOptions([argument]), new EtcdUsage(sentence))
})

test('suites find the flags that they look for', () => {
  assert.ok(ETCD_FLAGS.includes('unsafe-no-fsync'))
  assert.equal(new Set(ETCD_FLAGS).size, ETCD_FLAGS.length)
})
