import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createApiServer } from '../server.ts'
import { FlagError } from './flag-error.ts'
import { loadConfiguration } from './load.ts'
import { optionsFromFlags } from './options.ts'
import { parseArguments } from './parse-arguments.ts'

/** A folder with keys and the files of a test, and the flags that go with every start. */
function files(
  t: TestContext,
  texts: Readonly<Record<string, string>>,
): { at: (name: string) => string; flags: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'flags-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const at = (name: string): string => join(folder, name)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(at('sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(at('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  for (const [name, text] of Object.entries(texts)) writeFileSync(at(name), text)
  const flags = [
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    `--cert-dir=${at('certs')}`,
    '--bind-address=127.0.0.1',
  ]
  return { at, flags }
}

const load = (flags: readonly string[]): ReturnType<typeof loadConfiguration> =>
  loadConfiguration(optionsFromFlags(parseArguments(flags)))

const AUTHORIZATION = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
`

/** Files that v1.36.3 refuses, the flag that names them, and how. */
const REFUSALS: readonly (readonly [flag: string, text: string, sentence: string])[] = [
  [
    '--authorization-config',
    `${AUTHORIZATION}foo: 1`,
    'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "foo"',
  ],
  [
    '--authorization-config',
    'apiVersion: v1\nkind: Foo',
    'failed to load AuthorizationConfiguration from file: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    '--authorization-config',
    `${AUTHORIZATION}authorizers:
- type: Webhook
  name: Bad_Name
  webhook:
    timeout: 40s
    authorizedTTL: 30s
    unauthorizedTTL: 30s
    subjectAccessReviewVersion: v2
    failurePolicy: Foo
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: foo}
    matchConditions: [{expression: request.user}]
- {type: RBAC, name: rbac}
- {type: RBAC, name: rbac}
- type: Foo`,
    `[authorizers[0].name: Invalid value: "Bad_Name": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), authorizers[0].timeout: Invalid value: "40s": must be > 0s and <= 30s, authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1", authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified, authorizers[0].failurePolicy: Unsupported value: "Foo": supported values: "NoOpinion", "Deny", authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "foo": must be an absolute path, authorizers[0].matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool but got string, authorizers[2].type: Duplicate value: "RBAC", authorizers[3].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"]`,
  ],
  [
    '--authentication-config',
    `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer: {url: "https://127.0.0.1:1", audiences: [me]}
  claimMappings:
    username: {expression: "claims.sub"}
    uid: {expression: "1 + 'a'"}
  claimValidationRules:
  - {expression: "claims.level"}`,
    `invalid authentication configuration: [jwt[0].claimValidationRules[0].expression: Invalid value: "claims.level": must evaluate to bool, jwt[0].claimMappings.uid.expression: Invalid value: "1 + 'a'": compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + 'a'\n | ..^]`,
  ],
]

test('a file that cannot be used is refused in the words of kube-apiserver', async (t) => {
  for (const [flag, text, sentence] of REFUSALS) {
    const { at, flags } = files(t, { file: text })
    await assert.rejects(load([...flags, `${flag}=${at('file')}`]), (error) => {
      assert.ok(error instanceof FlagError)
      assert.equal(error.message, sentence)
      return true
    })
  }
  const { flags } = files(t, {})
  await assert.rejects(load([...flags, '--token-auth-file=/nope']), {
    message: 'open /nope: no such file or directory',
  })
})

test('a server by its flags: who is who, and who may what', async (t) => {
  const { at, flags } = files(t, { tokens: 'secret,jane,7,"a,b"\nroot,root,,system:masters\n' })
  const loaded = await load([
    ...flags,
    `--token-auth-file=${at('tokens')}`,
    '--authorization-mode=Node,RBAC',
    '--anonymous-auth=false',
    '--disable-admission-plugins=ServiceAccount',
  ])
  await using server = createApiServer(loaded.server)
  const ask = async (token: string | undefined, path: string): Promise<number> => {
    const headers =
      token === undefined ? { authorization: 'x' } : { authorization: `Bearer ${token}` }
    return (await server.fetch(new Request(`http://server${path}`, { headers }))).status
  }
  assert.equal(await ask('secret', '/api'), 200)
  assert.equal(await ask('secret', '/api/v1/nodes'), 403)
  assert.equal(await ask('root', '/api/v1/nodes'), 200)
  assert.equal(await ask('nobody', '/api'), 401)
  assert.equal(await ask(undefined, '/livez'), 401)
  assert.match(loaded.serve.tls?.certificate ?? '', /BEGIN CERTIFICATE/)
  // A certificate that was made once serves again.
  const again = await load(flags)
  assert.equal(again.serve.tls?.certificate, loaded.serve.tls?.certificate)
})

test('resources that need a gate are told of, and served with it', async (t) => {
  const { flags } = files(t, {})
  const { warnings } = await load([...flags, '--runtime-config=api/all=true'])
  assert.deepEqual(warnings, [
    'ClusterTrustBundle storage is disabled because the ClusterTrustBundle feature gate is disabled',
    'PodCertificateRequest storage is disabled because the PodCertificateRequest feature gate is disabled',
    'ClusterTrustBundle storage is disabled because the ClusterTrustBundle feature gate is disabled',
    'PodGroup storage is disabled because the GenericWorkload feature gate is disabled',
    'Workload storage is disabled because the GenericWorkload feature gate is disabled',
    'StorageVersionMigrator storage is disabled because the StorageVersionMigrator feature gate is disabled',
  ])
  const gates = '--feature-gates=AllAlpha=true,AllBeta=true,PodCertificateRequest=false'
  const { server, warnings: rest } = await load([...flags, '--runtime-config=api/all=true', gates])
  assert.equal(rest.length, 1)
  await using api = createApiServer(server)
  const { resources } = (await (
    await api.fetch(new Request('http://server/apis/certificates.k8s.io/v1beta1'))
  ).json()) as { readonly resources: readonly { readonly name: string }[] }
  assert.deepEqual(
    resources.map((it) => it.name),
    ['clustertrustbundles'],
  )
})
