import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition } from 'kubewright/schema'
import { conversionWebhook } from './conversion-review.ts'

const definition = (...versions: readonly string[]): CustomResourceDefinition => ({
  metadata: { name: 'ys.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'ys', kind: 'Y' },
    versions: [],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://hook.example.com' },
        conversionReviewVersions: versions,
      },
    },
  },
})

const object = { apiVersion: 'example.com/v1', kind: 'Y', metadata: { name: 'y' } }
const converted = { ...object, apiVersion: 'example.com/v2' }

const asking = (answer: unknown, posted: object[] = [], version = 'v1') =>
  conversionWebhook(
    definition('v9', version),
    async (_, review) => {
      posted.push(review)
      return answer
    },
    () => 'the-uid',
  )([object], 'example.com/v2')

const reviewOf = (response: object): object => ({
  kind: 'ConversionReview',
  apiVersion: 'apiextensions.k8s.io/v1',
  response: { uid: 'the-uid', ...response },
})

test('the objects are asked for in one review, in a version that both sides speak', async () => {
  const posted: object[] = []
  const answer = reviewOf({ result: { status: 'Success' }, convertedObjects: [converted] })
  assert.deepEqual(await asking(answer, posted), [converted])
  assert.deepEqual(posted, [
    {
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: 'the-uid', desiredAPIVersion: 'example.com/v2', objects: [object] },
    },
  ])
})

test('v1beta1 reviews need not say whose answer they are', async () => {
  const answer = { response: { result: { status: 'Success' }, convertedObjects: [converted] } }
  assert.deepEqual(await asking(answer, [], 'v1beta1'), [converted])
})

const refused: readonly (readonly [answer: unknown, message: string])[] = [
  [
    { kind: 'Status', apiVersion: 'v1' },
    'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Status',
  ],
  [{ ...reviewOf({}), response: undefined }, 'no response provided'],
  [reviewOf({ uid: 'another' }), 'expected response.uid="the-uid", got "another"'],
  [reviewOf({ result: { status: 'Failure', message: 'cannot do that' } }), 'cannot do that'],
  [
    reviewOf({ result: { status: 'Failure' } }),
    "response.result.status was 'Failure', not 'Success'",
  ],
]

for (const [answer, message] of refused)
  test(`an answer that is none: ${message}`, async () => {
    await assert.rejects(asking(answer), { message })
  })
