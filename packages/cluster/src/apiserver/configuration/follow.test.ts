import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { test } from 'node:test'
import { fakeClock } from 'kubewright/base'
import { makeTls } from '../http/certificates.ts'
import { createApiServer } from '../server.ts'
import { followConfiguration } from './follow.ts'
import { loadConfiguration } from './load.ts'
import { optionsFromFlags } from './options.ts'
import { parseArguments } from './parse-arguments.ts'

const AUTHORIZATION = (type: string): string => `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
- {type: ${type}, name: ${type.toLowerCase()}}
`

test('a certificate and who may what are read again when their files change', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'follow-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const at = (name: string): string => join(folder, name)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(at('sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(at('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  const serving = async (): Promise<void> => {
    const { certificate, key } = await makeTls('127.0.0.1', Date.now())
    writeFileSync(at('tls.crt'), certificate)
    writeFileSync(at('tls.key'), key)
  }
  await serving()
  writeFileSync(at('authorization.yaml'), AUTHORIZATION('RBAC'))
  writeFileSync(at('tokens.csv'), 'secret,anna,1\n')
  const configuration = optionsFromFlags(
    parseArguments([
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${at('sa.pub')}`,
      `--service-account-signing-key-file=${at('sa.key')}`,
      `--tls-cert-file=${at('tls.crt')}`,
      `--tls-private-key-file=${at('tls.key')}`,
      `--authorization-config=${at('authorization.yaml')}`,
      `--token-auth-file=${at('tokens.csv')}`,
      '--bind-address=127.0.0.1',
    ]),
  )
  const loaded = await loadConfiguration(configuration)
  await using server = createApiServer(loaded.server)
  const { port } = await server.listen({ ...loaded.serve, port: 0 })
  const [clock, stop] = [fakeClock(), new AbortController()]
  const told: string[] = []
  const { ended } = await followConfiguration(configuration, {
    apply: server.reconfigure,
    clock,
    signal: stop.signal,
    tell: (sentence) => void told.push(sentence),
  })
  t.after(async () => {
    stop.abort()
    await ended
  })
  /** Turns the clock until the follower has read again. */
  const reread = async (): Promise<void> => {
    for (const before = told.length; told.length === before;) {
      await clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const mayList = async (): Promise<number> => {
    const headers = { authorization: 'Bearer secret' }
    const request = new Request('http://server/api/v1/pods', { headers })
    return (await server.fetch(request)).status
  }
  const shown = async (): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  assert.equal(await mayList(), 403)
  writeFileSync(at('authorization.yaml'), AUTHORIZATION('AlwaysAllow'))
  await reread()
  assert.equal(await mayList(), 200)
  writeFileSync(at('authorization.yaml'), 'kind: Foo')
  await reread()
  assert.equal(await mayList(), 200)
  assert.match(told.at(-1) ?? '', /^cannot reload the AuthorizationConfiguration: failed to load/)
  const before = await shown()
  await serving()
  await reread()
  assert.notEqual(await shown(), before)
})
