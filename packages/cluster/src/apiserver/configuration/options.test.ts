import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlagError } from './flag-error.ts'
import { optionsFromFlags, type ServerConfiguration } from './options.ts'
import { parseArguments } from './parse-arguments.ts'

const read = (line: string): ServerConfiguration =>
  optionsFromFlags(parseArguments(line.split(' ').filter((it) => it !== '')))

const ACCOUNTS =
  '--service-account-issuer=x --service-account-key-file=a.pub --service-account-signing-key-file=a.key'

/** What kube-apiserver v1.36.3 said to these. */
const REFUSALS: readonly (readonly [line: string, sentence: string])[] = [
  ['--nope=1', 'unknown flag: --nope'],
  ['-x', "unknown shorthand flag: 'x' in -x"],
  ['--=x', 'bad flag syntax: --=x'],
  ['---x', 'bad flag syntax: ---x'],
  ['stray', '"kube-apiserver" does not take any arguments, got ["stray"]'],
  ['--secure-port', 'flag needs an argument: --secure-port'],
  [
    '--secure-port=x',
    'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    '--secure-port=99999999999999999999',
    'invalid argument "99999999999999999999" for "--secure-port" flag: strconv.ParseInt: parsing "99999999999999999999": value out of range',
  ],
  [
    '--secure_port=x',
    'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [
    '--allow-privileged=maybe',
    'invalid argument "maybe" for "--allow-privileged" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  [
    '--request-timeout=5',
    'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"',
  ],
  [
    '--request-timeout=1h2',
    'invalid argument "1h2" for "--request-timeout" flag: time: missing unit in duration "1h2"',
  ],
  [
    '--request-timeout=5x',
    'invalid argument "5x" for "--request-timeout" flag: time: unknown unit "x" in duration "5x"',
  ],
  [
    '--request-timeout=x',
    'invalid argument "x" for "--request-timeout" flag: time: invalid duration "x"',
  ],
  [
    '--bind-address=foo',
    'invalid argument "foo" for "--bind-address" flag: failed to parse IP: "foo"',
  ],
  [
    '--oidc-required-claim=x',
    'invalid argument "x" for "--oidc-required-claim" flag: malformed pair, expect string=string',
  ],
  [
    '--allow-metric-labels=a',
    'invalid argument "a" for "--allow-metric-labels" flag: a must be formatted as key=value',
  ],
  [
    '--v=abc',
    'invalid argument "abc" for "-v, --v" flag: strconv.ParseUint: parsing "abc": invalid syntax',
  ],
  [
    '--vmodule=x',
    'invalid argument "x" for "--vmodule" flag: "x" does not have the pattern=N format',
  ],
  ['--feature-gates=Foo=true', 'unrecognized feature gate: Foo'],
  ['--feature-gates=Foo', 'missing bool value for Foo'],
  [
    '--feature-gates=AllAlpha=foo',
    'invalid value of AllAlpha=foo, err: strconv.ParseBool: parsing "foo": invalid syntax',
  ],
  [
    '--authorization-mode=Foo',
    '[service-account-issuer is a required flag, either `--service-account-key-file` or `--service-account-signing-endpoint` must be set, authorization-mode "Foo" is not a valid mode, --service-account-signing-key-file and --service-account-issuer are required flags]',
  ],
  [
    '--goaway-chance=1.1 --service-account-issuer=x',
    '[--goaway-chance can not be less than 0 or greater than 0.02, either `--service-account-key-file` or `--service-account-signing-endpoint` must be set, --service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together]',
  ],
  [
    `${ACCOUNTS} --enable-admission-plugins=Nope`,
    'enable-admission-plugins plugin "Nope" is unknown',
  ],
  [`${ACCOUNTS} --service-cluster-ip-range=foo`, 'service-cluster-ip-range[0] is not a valid cidr'],
]

test('flags that cannot be taken are refused in the words of kube-apiserver', () => {
  for (const [line, sentence] of REFUSALS) {
    assert.throws(
      () => read(line),
      (error) => {
        assert.ok(error instanceof FlagError)
        assert.equal(error.message, sentence)
        return true
      },
      line,
    )
  }
})

test('the flags that envtest passes are taken', () => {
  const configuration = read(
    `${ACCOUNTS} --advertise-address=127.0.0.1 --allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir=/tmp/c --client-ca-file=/tmp/c/ca.crt --disable-admission-plugins=ServiceAccount --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --service-cluster-ip-range=10.0.0.0/24`,
  )
  const { serving, authentication, authorization, admission, limits } = configuration
  assert.deepEqual(serving, {
    bindAddress: '127.0.0.1',
    port: 6443,
    advertiseAddress: '127.0.0.1',
    certificateFolder: '/tmp/c',
  })
  assert.equal(authentication.clientCaFile, '/tmp/c/ca.crt')
  assert.deepEqual(authentication.serviceAccounts.keyFiles, ['a.pub'])
  assert.deepEqual(authorization, { modes: ['RBAC'] })
  assert.deepEqual(admission.disable, ['ServiceAccount'])
  assert.equal(limits.requestTimeoutMilliseconds, 60_000)
  assert.equal(limits.minRequestTimeoutSeconds, 1800)
  assert.deepEqual(configuration.withoutEffect, ['etcd-servers'])
})

test('a list is split at commas and gathered, an array is not; where nobody says, everybody may', () => {
  const { authentication, authorization, admission } = read(
    `${ACCOUNTS} --service-account-issuer y,z --enable-admission-plugins=AlwaysAdmit,NodeRestriction --enable-admission-plugins AlwaysDeny -v 4 --anonymous-auth`,
  )
  assert.deepEqual(authentication.serviceAccounts.issuers, ['x', 'y,z'])
  assert.deepEqual(admission.enable, ['AlwaysAdmit', 'NodeRestriction', 'AlwaysDeny'])
  assert.deepEqual(authorization.modes, ['AlwaysAllow'])
  assert.equal(authentication.anonymous, false)
})
