import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fresh, recorded, REGISTRATION } from '../testing/recorded.ts'
import { type RecordingWebhook, recordingWebhook } from './recording-webhook.fixture.ts'

interface Request {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** What kube-apiserver v1.36 answered, with what of the object the scenario is about, and what it asked webhooks meanwhile. */
interface Expected {
  readonly status: number
  readonly message?: string
  readonly reason?: string
  readonly data?: object
  readonly annotations?: object
  readonly labels?: object
  readonly spec?: object
  readonly asked: readonly object[]
}

interface Scenario {
  readonly name: string
  readonly mut?: readonly object[]
  readonly val?: readonly object[]
  readonly policies?: readonly (readonly [kind: string, spec: object, binding: object])[]
  readonly steps: readonly (Request & { readonly expected: Expected })[]
}

/** A scenario, or something that the next needs. HOST and CA stand for the webhook. */
type Row = Scenario | { readonly setup: Request }

const ROWS = recorded<Row>(new URL('testdata/requests.json', import.meta.url))

/** What no two runs have in common, and who owns fields, which others test. */
const PASSING: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'userInfo',
  'clusterIP',
  'clusterIPs',
  'lastTransitionTime',
  'managedFields',
  'time',
  'manager',
])

const lasting = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, it: unknown) => {
      if (PASSING.has(key)) return undefined
      if (typeof it !== 'string') return it
      return it
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/gen-[a-z0-9]{5}/g, 'gen-X')
        .replace(/kube-api-access-\w+/g, 'kaa')
    }),
  )

describe('what webhooks and policies are asked', () => {
  const { server, send } = fresh({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
  })
  let webhook: RecordingWebhook

  before(async () => {
    webhook = await recordingWebhook()
  })

  after(async () => {
    webhook.close()
    await server.close()
  })

  const ask = ({ method, path, body, headers }: Request): ReturnType<typeof send> =>
    send(method, path, body, headers)

  async function register({ mut = [], val = [], policies = [] }: Scenario): Promise<string[]> {
    const made: string[] = []
    const make = async (plural: string, index: number, rest: object): Promise<void> => {
      const path = `${REGISTRATION}/${plural}`
      const name = `beh-${index}`
      const text = JSON.stringify({ metadata: { name }, ...rest })
        .replaceAll('HOST', webhook.host)
        .replaceAll('"CA"', JSON.stringify(webhook.authority))
      const { status, body } = await send('POST', path, JSON.parse(text) as object)
      assert.equal(status, 201, String(body.message))
      made.push(`${path}/${name}`)
    }
    for (const [i, webhooks] of mut.entries())
      await make('mutatingwebhookconfigurations', i, { webhooks })
    for (const [i, webhooks] of val.entries())
      await make('validatingwebhookconfigurations', i, { webhooks })
    for (const [i, [kind, spec, binding]] of policies.entries()) {
      await make(`${kind}admissionpolicies`, i, { spec })
      const actions = kind === 'validating' ? { validationActions: ['Deny'] } : {}
      const bound = { policyName: `beh-${i}`, ...actions, ...binding }
      await make(`${kind}admissionpolicybindings`, i, { spec: bound })
    }
    return made
  }

  async function follow({ steps }: Scenario): Promise<void> {
    webhook.asked()
    for (const { expected, ...step } of steps) {
      const { status, body } = await ask(step)
      const { spec, data, message, reason, metadata = {} } = body
      const { annotations, labels } = metadata
      const seen = { message, reason, data, annotations, labels, spec }
      const named = Object.entries(seen).filter(([name]) => name in expected)
      const answer = { status, ...Object.fromEntries(named), asked: webhook.asked() }
      assert.deepEqual(lasting(answer), lasting(expected), `${step.method} ${step.path}`)
    }
  }

  for (const row of ROWS) {
    if ('setup' in row) {
      test(`${row.setup.method} ${row.setup.path}`, async () => {
        await ask(row.setup)
      })
      continue
    }
    test(row.name, async () => {
      const made = await register(row)
      try {
        await follow(row)
      } finally {
        for (const path of made) await send('DELETE', path)
      }
    })
  }
})
