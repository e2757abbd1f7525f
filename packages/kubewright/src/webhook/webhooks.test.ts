import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fakeClock } from '../base/clock.ts'
import { required } from '../machinery/field-error.ts'
import { kindOf, type Kind } from '../machinery/kind.ts'
import type { KubeObject } from '../machinery/object.ts'
import { applyJsonPatch, decodeJsonPatch } from '../machinery/patch/json-patch.ts'
import { jsonEqual, type JsonValue } from '../machinery/patch/json.ts'
import { forbidden } from '../machinery/status.ts'
import { jsonDiff } from './json-diff.ts'
import { spoke } from './conversion-review.ts'
import { webhookHandler } from './webhook-handler.ts'
import {
  admitting,
  converting,
  defaulting,
  validating,
  type WebhookDefinition,
} from './webhooks.ts'

interface App extends KubeObject {
  readonly spec?: { readonly size?: number; readonly image?: string }
}
const APP: Kind<App> = kindOf('example.com/v1', 'App', 'apps', 'Namespaced')

const ask = async (
  webhook: WebhookDefinition,
  body: unknown,
  path: string = webhook.path,
): Promise<Response> =>
  webhookHandler([webhook], { clock: fakeClock() })(
    new Request(`https://hook${path}`, { method: 'POST', body: JSON.stringify(body) }),
  )

const review = (request: object): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'CREATE', userInfo: {}, ...request },
})

async function responseTo(
  webhook: WebhookDefinition,
  request: object,
): Promise<Record<string, unknown>> {
  const answer = (await (await ask(webhook, review(request))).json()) as {
    response: Record<string, unknown>
    kind: string
  }
  assert.equal(answer.kind, 'AdmissionReview')
  assert.equal(answer.response['uid'], 'u1')
  return answer.response
}

const app = (spec: App['spec'] & object): App => ({
  apiVersion: 'example.com/v1',
  kind: 'App',
  metadata: { name: 'a' },
  spec,
})

test('a defaulter answers with a patch of what it changed, and keeps what it does not know', async () => {
  const webhook = defaulting(APP, (it) => ({ ...it, spec: { size: 1, ...it.spec } }))
  assert.equal(webhook.path, '/mutate-example-com-v1-app')
  const object = { ...app({ image: 'x' }), more: { 'a/b': 1 } }
  const { allowed, patchType, patch } = await responseTo(webhook, { object })
  assert.deepEqual([allowed, patchType], [true, 'JSONPatch'])
  const operations = JSON.parse(Buffer.from(patch as string, 'base64').toString()) as unknown
  assert.deepEqual(operations, [{ op: 'add', path: '/spec/size', value: 1 }])
  assert.deepEqual(await responseTo(webhook, { object: app({ size: 2 }) }), {
    uid: 'u1',
    allowed: true,
  })
})

test('a validator refuses with field errors, with a sentence, or with a Status, and may warn', async () => {
  const webhook = validating(APP, (it, { operation, oldObject, warn }) => {
    if (operation === 'DELETE') throw new Error('it is in use')
    if ((it.spec?.size ?? 0) > 9)
      throw forbidden({ group: 'example.com', plural: 'apps' }, 'a', 'too large')
    if ((oldObject?.spec?.size ?? 0) > (it.spec?.size ?? 0)) warn('it shrinks')
    return it.spec?.image ? undefined : [required('spec.image')]
  })
  assert.equal(webhook.path, '/validate-example-com-v1-app')
  assert.deepEqual(await responseTo(webhook, { object: app({ image: 'x' }) }), {
    uid: 'u1',
    allowed: true,
  })
  const invalid = await responseTo(webhook, { name: 'a', object: app({}) })
  assert.equal(invalid['allowed'], false)
  const status = invalid['status'] as { code: number; message: string }
  assert.deepEqual(
    [status.code, status.message],
    [422, 'App.example.com "a" is invalid: spec.image: Required value'],
  )
  assert.deepEqual(
    await responseTo(webhook, {
      operation: 'UPDATE',
      object: app({ image: 'x', size: 1 }),
      oldObject: app({ size: 2 }),
    }),
    {
      uid: 'u1',
      allowed: true,
      warnings: ['it shrinks'],
    },
  )
  const gone = await responseTo(webhook, {
    operation: 'DELETE',
    oldObject: app({ image: 'x' }),
    object: null,
  })
  assert.deepEqual(gone['status'], { code: 403, reason: 'Forbidden', message: 'it is in use' })
  const large = await responseTo(webhook, { object: app({ image: 'x', size: 10 }) })
  assert.equal((large['status'] as { reason: string }).reason, 'Forbidden')
})

test('a request as it came is answered with a patch of its own making, warnings, or a refusal', async () => {
  const webhook = admitting(APP, 'mutating', ({ operation, subResource }) => {
    if (operation === 'DELETE') return { allowed: false, message: 'it stays', code: 409 }
    if (subResource) return { allowed: true, warnings: [`so it is ${subResource}`] }
    return { allowed: true, patch: [{ op: 'add', path: '/spec/size', value: 2 ** 53 }] }
  })
  assert.equal(webhook.path, '/mutate-example-com-v1-app')
  const { patch, patchType, ...rest } = await responseTo(webhook, { object: app({}) })
  assert.deepEqual(
    [JSON.parse(Buffer.from(String(patch), 'base64').toString()), patchType],
    [[{ op: 'add', path: '/spec/size', value: 2 ** 53 }], 'JSONPatch'],
  )
  assert.deepEqual(rest, { uid: 'u1', allowed: true })
  assert.deepEqual(await responseTo(webhook, { subResource: 'scale' }), {
    uid: 'u1',
    allowed: true,
    warnings: ['so it is scale'],
  })
  assert.deepEqual(await responseTo(webhook, { operation: 'DELETE' }), {
    uid: 'u1',
    allowed: false,
    status: { code: 409, message: 'it stays' },
  })
  const changing = admitting(APP, 'validating', () => ({
    allowed: true,
    patch: [{ op: 'remove', path: '/spec' }],
  }))
  assert.match(
    JSON.stringify(await responseTo(changing, { object: app({}) })),
    /a validating webhook changes nothing/,
  )
})

test('a bug in a webhook is told as one, and denies', async () => {
  const webhook = validating(
    APP,
    (it) => (it as unknown as { nothing: { at: string[] } }).nothing.at as never,
  )
  const { allowed, status } = await responseTo(webhook, { object: app({}) })
  assert.equal(allowed, false)
  assert.match((status as { message: string }).message, /^panic: TypeError: .* \[recovered\]$/)
})

test('what is no review, an old review, a wrong path or verb is refused', async () => {
  const webhook = defaulting(APP, (it) => it)
  assert.equal((await ask(webhook, { kind: 'Pod' })).status, 400)
  const old = await ask(webhook, { ...review({}), apiVersion: 'admission.k8s.io/v1beta1' })
  assert.match(await old.text(), /AdmissionReview admission.k8s.io\/v1beta1 is not spoken here/)
  assert.equal((await ask(webhook, {}, '/other')).status, 404)
  const handler = webhookHandler([webhook], { clock: fakeClock() })
  assert.equal((await handler(new Request(`https://hook${webhook.path}`))).status, 405)
  assert.equal(
    (await handler(new Request(`https://hook${webhook.path}`, { method: 'POST', body: '{' })))
      .status,
    400,
  )
  assert.throws(
    () => webhookHandler([webhook, webhook], { clock: fakeClock() }),
    /two webhooks are to be served at \/mutate-example-com-v1-app/,
  )
})

interface OldApp extends KubeObject {
  readonly spec?: { readonly replicas?: number }
}
const OLD: Kind<OldApp> = kindOf('example.com/v1alpha1', 'App', 'apps', 'Namespaced')
const OLDEST: Kind<KubeObject> = kindOf('example.com/v1alpha0', 'App', 'apps', 'Namespaced')
const conversion = converting({
  hub: APP,
  spokes: [
    spoke(APP, OLD, {
      toHub: ({ metadata, spec }) => ({ metadata, spec: { size: spec?.replicas ?? 0 } }),
      fromHub: ({ metadata, spec }) => ({ metadata, spec: { replicas: spec?.size ?? 0 } }),
    }),
    spoke(APP, OLDEST, {
      toHub: ({ metadata }) => ({ metadata, spec: { size: 7 } }),
      fromHub: ({ metadata }) => ({ metadata }),
    }),
  ],
})

async function converted(
  desiredAPIVersion: string,
  objects: readonly object[],
): Promise<Record<string, unknown>> {
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u2', desiredAPIVersion, objects },
  }
  const answer = (await (await ask(conversion, body)).json()) as {
    response: Record<string, unknown>
  }
  assert.equal(answer.response['uid'], 'u2')
  return answer.response
}

test('objects are converted to the hub, from it, and through it', async () => {
  const old = {
    apiVersion: 'example.com/v1alpha1',
    kind: 'App',
    metadata: { name: 'a' },
    spec: { replicas: 3 },
  }
  const hub = {
    apiVersion: 'example.com/v1',
    kind: 'App',
    metadata: { name: 'a' },
    spec: { size: 3 },
  }
  const oldest = { apiVersion: 'example.com/v1alpha0', kind: 'App', metadata: { name: 'o' } }
  assert.deepEqual((await converted('example.com/v1', [old, hub]))['convertedObjects'], [hub, hub])
  assert.deepEqual((await converted('example.com/v1alpha1', [hub]))['convertedObjects'], [old])
  assert.deepEqual((await converted('example.com/v1alpha1', [oldest]))['convertedObjects'], [
    { ...old, metadata: { name: 'o' }, spec: { replicas: 7 } },
  ])
})

test('a conversion that nobody knows fails as a whole, with a sentence', async () => {
  const hub = { apiVersion: 'example.com/v1', kind: 'App', metadata: { name: 'a' } }
  const failed = await converted('example.com/v9', [hub])
  assert.deepEqual(failed['result'], {
    status: 'Failure',
    message: 'App has no version example.com/v9 here',
  })
  assert.throws(
    () =>
      spoke(APP, kindOf('other.com/v1', 'App', 'apps', 'Namespaced'), {
        toHub: (it) => it,
        fromHub: (it) => it as never,
      }),
    /is not a version of/,
  )
})

test('a patch of the difference makes one of the other', () => {
  const value = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>(null, true, 0, 1, 'a', 'b'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e~f', ''), tie('any'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).any
  fc.assert(
    fc.property(value, value, (before, after) => {
      const patch = decodeJsonPatch(jsonDiff({ before }, { before: after }) as unknown as JsonValue)
      assert.ok(jsonEqual(applyJsonPatch({ before }, patch), { before: after }))
    }),
    { numRuns: 500 },
  )
})

test('a member named like an inherited one is removed too', () => {
  assert.deepEqual(jsonDiff({ constructor: 'x' }, {}), [{ op: 'remove', path: '/constructor' }])
})

test('a review that is too large is refused without being read whole', async () => {
  const handler = webhookHandler([converting({ hub: APP, spokes: [] })], { clock: fakeClock() })
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      sent += 1 << 20
      stream.enqueue(new Uint8Array(1 << 20))
    },
  })
  const response = await handler(
    new Request('https://localhost/convert', { method: 'POST', body, duplex: 'half' }),
  )
  assert.equal(response.status, 413)
  assert.ok(sent < 10 << 20)
})
