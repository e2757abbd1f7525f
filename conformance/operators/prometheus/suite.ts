import path from 'node:path'
import { freePort } from '../../../benchmarks/server.ts'
import { moduleFolder } from '../../reference/build.ts'
import type { Suite } from '../../suites/suite.ts'
import { buildOperator, type OperatorProgram } from '../program.ts'
import { accountKubeconfig, operatorSuite, type Place } from '../suite.ts'
import { CASES } from './cases.ts'

const MODULE = 'github.com/prometheus-operator/prometheus-operator'
const VERSION = 'v0.85.0'

const PROGRAM: OperatorProgram = {
  name: 'prometheus-operator',
  module: MODULE,
  version: VERSION,
  source: { package: `${MODULE}/cmd/operator` },
  builtAs: 'kubewright.dev/prometheus-operator',
  ldflags: `-X github.com/prometheus/common/version.Version=${VERSION.slice(1)}`,
}

/** prometheus-operator's own program, with the definitions and the rights of its own bundle, as its service account. */
export const PROMETHEUS_OPERATOR: Suite = operatorSuite({
  name: 'prometheus-operator',
  about: 'prometheus-operator’s program, and what comes of its resources',
  version: VERSION,
  namespace: 'monitoring',
  install,
  cases: CASES,
})

async function install(place: Place): Promise<void> {
  const { kubectl, processes } = place
  const file = await buildOperator(PROGRAM)
  const bundle = path.join(await moduleFolder(`${MODULE}@${VERSION}`), 'bundle.yaml')
  await kubectl.must(['apply', '--server-side', '-f', bundle])
  await kubectl.must(['create', 'namespace', 'monitoring'])
  await kubectl.must(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s'])
  processes.start({
    name: PROGRAM.name,
    file,
    args: [
      `--web.listen-address=127.0.0.1:${await freePort()}`,
      `--prometheus-config-reloader=quay.io/prometheus-operator/prometheus-config-reloader:${VERSION}`,
    ],
    env: { KUBECONFIG: await accountKubeconfig(place, 'default', 'prometheus-operator') },
  })
}
