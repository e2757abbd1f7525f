import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../benchmarks/server.ts'
import { moduleFolder } from '../../reference/build.ts'
import type { Suite } from '../../suites/suite.ts'
import { buildOperator, type OperatorProgram } from '../program.ts'
import { accountKubeconfig, operatorSuite, type Place } from '../suite.ts'
import { CASES } from './cases.ts'
import { RIGHTS } from './rights.ts'
import { webhookConfigurations } from './webhooks.ts'

const MODULE = 'github.com/cert-manager/cert-manager'
const VERSION = 'v1.21.2'

const PROGRAM: OperatorProgram = {
  name: 'cert-manager',
  module: MODULE,
  version: VERSION,
  // Its commands are modules of their own, which nobody publishes.
  source: { main: fileURLToPath(new URL('main.go', import.meta.url)) },
  builtAs: `${MODULE}/suite`,
}

/** cert-manager's controllers, webhook and cainjector, with its own definitions, as a service account. */
export const CERT_MANAGER: Suite = operatorSuite({
  name: 'cert-manager',
  about: 'cert-manager’s controllers, webhook and cainjector, and what comes of its resources',
  version: VERSION,
  namespace: 'shop',
  install,
  cases: CASES,
})

const OWN = 'cert-manager'

async function install(place: Place): Promise<void> {
  const { kubectl, processes } = place
  const file = await buildOperator(PROGRAM)
  const definitions = path.join(await moduleFolder(`${MODULE}@${VERSION}`), 'deploy', 'crds')
  await kubectl.must(['apply', '--server-side', '-f', definitions])
  await kubectl.must(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  for (const name of [OWN, 'shop']) await kubectl.must(['create', 'namespace', name])
  await kubectl.must(['create', 'serviceaccount', OWN, `--namespace=${OWN}`])
  const subject = `--serviceaccount=${OWN}:${OWN}`
  await kubectl.must(['create', '-f', '-'], RIGHTS)
  await kubectl.must(['create', 'clusterrolebinding', OWN, `--clusterrole=${OWN}`, subject])
  const kubeconfig = await accountKubeconfig(place, OWN, OWN)
  const port = await freePort()
  const start = (what: string, ...args: readonly string[]): void =>
    processes.start({ name: `${OWN}-${what}`, file, args: [what, kubeconfig, ...args] })
  start(
    'webhook',
    `--secure-port=${port}`,
    `--healthz-port=${await freePort()}`,
    '--metrics-listen-address=0',
    `--dynamic-serving-ca-secret-namespace=${OWN}`,
    `--dynamic-serving-ca-secret-name=${OWN}-webhook-ca`,
    '--dynamic-serving-dns-names=localhost',
  )
  start('cainjector')
  start('controller')
  for (const it of webhookConfigurations(`https://localhost:${port}`))
    await kubectl.must(['apply', '--server-side', '-f', '-'], it)
}
