import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseExact } from 'kubewright/base'
import { type ApiServer, createApiServer } from '../index.ts'
import { decodeBuiltin } from '../resources/decode.ts'
import { messageReader } from './protobuf-message.ts'
import { openEnvelope, PROTOBUF, readEnvelope } from './protobuf.ts'
import { WireReader } from './protobuf-wire.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const POM = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

/** JSON that a test looks into without asking what it is. */
type Loose = ReturnType<typeof JSON.parse>

const THINGS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Thing', plural: 'things' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                'x-kubernetes-validations': [{ rule: '!has(self.size) || self.size != 5' }],
                properties: {
                  size: { type: 'integer' },
                  int64: { type: 'integer', format: 'int64' },
                  int32: { type: 'integer', format: 'int32' },
                  number: { type: 'number' },
                  either: { 'x-kubernetes-int-or-string': true },
                },
              },
            },
          },
        },
      },
    ],
  },
}

describe('answers', () => {
  let server: ApiServer
  before(async () => {
    server = createApiServer()
    await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', THINGS)
    while ((await ask('GET', '/apis/example.com/v1')).status !== 200) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  after(() => server.close())

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return server.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { 'content-type': type, ...headers },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
  }

  const json = async (path: string, accept = 'application/json'): Promise<Loose> =>
    (await ask('GET', path, undefined, { accept })).json()

  interface Message {
    readonly type: string | null
    readonly status: number
    readonly apiVersion: string
    readonly kind: string
    readonly raw: Buffer
    readonly object: Record<string, unknown>
  }

  async function protobuf(method: string, path: string, accept = PROTOBUF): Promise<Message> {
    const response = await ask(method, path, undefined, { accept })
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      type: response.headers.get('content-type'),
      status: response.status,
      ...opened(bytes),
    }
  }

  function opened(bytes: Buffer): Pick<Message, 'apiVersion' | 'kind' | 'raw' | 'object'> {
    const envelope = openEnvelope(bytes)
    return { ...envelope, object: readEnvelope(envelope) }
  }

  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

  /** A message as its JSON would be. */
  const typed = (value: unknown, kind: string): Loose =>
    plain(decodeBuiltin(value, { group: '', version: 'v1', kind }).object)

  describe('in protobuf', () => {
    test('an object, and one that was just written', async () => {
      const { type, object } = await protobuf('GET', '/api/v1/namespaces/default')
      assert.equal(type, PROTOBUF)
      assert.deepEqual(typed(object, 'Namespace'), await json('/api/v1/namespaces/default'))
      const created = await ask(
        'POST',
        '/api/v1/namespaces/default/configmaps',
        { metadata: { name: 'a' }, data: { b: 'c' } },
        { accept: PROTOBUF },
      )
      assert.equal(created.status, 201)
      const { object: written } = opened(Buffer.from(await created.arrayBuffer()))
      assert.deepEqual(
        typed(written, 'ConfigMap'),
        await json('/api/v1/namespaces/default/configmaps/a'),
      )
    })

    test('a list', async () => {
      const { apiVersion, kind, raw } = await protobuf('GET', '/api/v1/namespaces?limit=2')
      assert.deepEqual([apiVersion, kind], ['v1', 'NamespaceList'])
      const read = messageReader('io.k8s.api.core.v1.NamespaceList')(new WireReader(raw))
      const { metadata, items } = read as { metadata: Loose; items: Loose[] }
      const expected = await json('/api/v1/namespaces?limit=2')
      const named = { kind: 'Namespace', apiVersion: 'v1' }
      assert.deepEqual(
        items.map((it) => typed(it, 'Namespace')),
        expected.items.map((it: object) => ({ ...named, ...it })),
      )
      assert.equal(metadata.remainingItemCount, expected.metadata.remainingItemCount)
      assert.ok(metadata.continue)
    })

    test('an error, in any resource', async () => {
      const { type, status, kind, object } = await protobuf('GET', '/api/v1/namespaces/none')
      assert.deepEqual([type, status, kind], [PROTOBUF, 404, 'Status'])
      const expected = await json('/api/v1/namespaces/none')
      assert.equal(object['message'], expected.message)
      assert.deepEqual(plain(object['details']), {
        ...expected.details,
        group: '',
        retryAfterSeconds: 0,
        uid: '',
      })
    })

    test('metadata alone, of built-in and custom kinds', async () => {
      await ask('POST', '/apis/example.com/v1/namespaces/default/things', {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name: 'meta', labels: { a: 'b' } },
      })
      for (const path of [
        '/api/v1/namespaces/default',
        '/apis/example.com/v1/namespaces/default/things/meta',
      ]) {
        const { kind, apiVersion, raw } = await protobuf('GET', path, `${PROTOBUF};${POM}`)
        assert.deepEqual([apiVersion, kind], ['meta.k8s.io/v1', 'PartialObjectMetadata'])
        const read = messageReader(`${META}.PartialObjectMetadata`)(new WireReader(raw))
        const { metadata } = await json(path)
        assert.deepEqual((plain(read) as Loose).metadata.uid, metadata.uid)
        assert.deepEqual((plain(read) as Loose).metadata.labels, metadata.labels)
      }
    })

    test('a watch, in frames', async () => {
      const path = '/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Ddefault'
      const response = await ask('GET', path, undefined, { accept: `${PROTOBUF};stream=watch` })
      assert.equal(response.headers.get('content-type'), `${PROTOBUF};stream=watch`)
      const reader = response.body!.getReader()
      const { value } = await reader.read()
      const frame = Buffer.from(value!)
      assert.equal(frame.readUInt32BE(0), frame.length - 4)
      const event = new WireReader(frame.subarray(4))
      assert.equal(event.varint(), 0x0a)
      assert.equal(event.text(), 'ADDED')
      assert.equal(event.varint(), 0x12)
      const raw = event.nested((inner) => (inner.varint(), inner.bytes()))
      assert.deepEqual(
        typed(opened(raw).object, 'Namespace'),
        await json('/api/v1/namespaces/default'),
      )
      await reader.cancel()
    })

    test('discovery, without a version where its JSON has none', async () => {
      assert.equal((await protobuf('GET', '/api')).apiVersion, '')
      const { kind, raw } = await protobuf('GET', '/apis/apps/v1')
      assert.equal(kind, 'APIResourceList')
      const read = messageReader(`${META}.APIResourceList`)(new WireReader(raw)) as Loose
      const { resources } = await json('/apis/apps/v1')
      assert.deepEqual(
        read.resources.map((it: { name: string }) => it.name),
        resources.map((it: { name: string }) => it.name),
      )
    })

    test('no custom kind, and no table', async () => {
      const things = '/apis/example.com/v1/namespaces/default/things'
      const accepted =
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf'
      const { status, object } = await protobuf('GET', things)
      assert.deepEqual([status, object['message']], [406, accepted])
      const table = await ask('GET', things, undefined, {
        accept: `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`,
      })
      assert.equal(table.headers.get('content-type'), 'application/json')
      assert.equal(
        await table.text(),
        JSON.stringify(
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: accepted,
            reason: 'NotAcceptable',
            code: 406,
          },
          undefined,
          2,
        ),
      )
      const both = await ask('GET', things, undefined, { accept: `${PROTOBUF},application/json` })
      assert.equal(both.headers.get('content-type'), 'application/json')
    })
  })

  describe('paths and methods', () => {
    const JSON_404 =
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}\n'
    const JSON_405 =
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}\n'
    const TEXT_404 = '404 page not found\n'

    /** As a kube-apiserver v1.36.3 answered. */
    const ANSWERED: readonly (readonly [method: string, path: string, answer: string])[] = [
      ['GET', '/api/v2', JSON_404],
      ['GET', '/api/foo', JSON_404],
      ['GET', '/api/v2/pods', JSON_404],
      ['GET', '/api//v1/namespaces', JSON_404],
      ['GET', '/apis/apps/v9', JSON_404],
      ['GET', '/apis/apps//v1', JSON_404],
      ['GET', '/version/foo', JSON_404],
      ['GET', '/apis/foo', TEXT_404],
      ['GET', '/apis//apps', TEXT_404],
      ['GET', '/apis/nope/v1/things', TEXT_404],
      ['GET', '/foo//bar', TEXT_404],
      ['POST', '/version', JSON_405],
      ['PUT', '/api', JSON_405],
      ['DELETE', '/api/v1', JSON_405],
      ['POST', '/apis/apps/v1', JSON_405],
    ]
    for (const [method, path, answer] of ANSWERED) {
      test(`${method} ${path}`, async () => {
        assert.equal(await (await ask(method, path)).text(), answer)
      })
    }

    test('discovery without a route does not look at the method', async () => {
      for (const path of ['/apis', '/apis/apps', '/apis/example.com', '/apis/example.com/v1']) {
        assert.equal((await ask('POST', path)).status, 200, path)
      }
    })

    test('what people look at is indented', async () => {
      const shown = async (
        query: string,
        headers: Readonly<Record<string, string>> = {},
      ): Promise<boolean> => {
        const answer = await ask('GET', `/api/v1/namespaces/default${query}`, undefined, headers)
        return (await answer.text()).startsWith('{\n  "kind"')
      }
      assert.equal(await shown(''), false)
      assert.equal(await shown('?pretty=true'), true)
      assert.equal(await shown('?pretty=1'), true)
      assert.equal(await shown('?pretty=yes'), false)
      assert.equal(await shown('', { 'user-agent': 'curl/8' }), true)
      assert.equal(await shown('?pretty=false', { 'user-agent': 'curl/8' }), false)
      assert.equal(await shown('', { accept: 'application/json;pretty=1' }), true)
    })

    test('an apply of nothing, and one that is no YAML', async () => {
      const apply = async (body: string): Promise<string> => {
        const headers = { 'content-type': 'application/apply-patch+yaml' }
        const path = '/api/v1/namespaces/default?fieldManager=x'
        const { message } = (await (await ask('PATCH', path, body, headers)).json()) as Loose
        return message
      }
      assert.equal(await apply(''), 'invalid object type: /, Kind=')
      assert.equal(
        await apply('a: {b'),
        "error decoding YAML: error converting YAML to JSON: yaml: line 1: did not find expected ',' or '}'",
      )
    })
  })

  describe('numbers', () => {
    let made = 0
    async function spec(text: string): Promise<string> {
      const response = await ask(
        'POST',
        '/apis/example.com/v1/namespaces/default/things',
        `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"n${made++}"},"spec":{${text}}}`,
      )
      const answer = await response.text()
      if (!response.ok) return (JSON.parse(answer) as { message: string }).message
      return /"spec":\{(.*)\}\}\s*$/.exec(answer)?.[1] ?? answer
    }

    /** What is sent, and what a kube-apiserver v1.36.3 answered with. */
    const KEPT: readonly (readonly [sent: string, kept: string])[] = [
      ['"size":1.0', '"size":1'],
      ['"size":1e3', '"size":1000'],
      ['"size":9007199254740993', '"size":9007199254740993'],
      ['"int64":9223372036854775807', '"int64":9223372036854775807'],
      ['"int64":-9223372036854775808', '"int64":-9223372036854775808'],
      ['"number":9007199254740993', '"number":9007199254740993'],
      ['"number":100000000000000000000', '"number":100000000000000000000'],
      ['"number":1e21', '"number":1e+21'],
      ['"number":-0.0', '"number":0'],
      ['"either":9007199254740993', '"either":9007199254740993'],
      ['"free":18446744073709551615', '"free":18446744073709552000'],
      ['"free":123456789012345678.5', '"free":123456789012345680'],
    ]
    for (const [sent, kept] of KEPT) {
      test(`${sent} is kept as ${kept}`, async () => assert.equal(await spec(sent), kept))
    }

    test('what is no number of Go is refused', async () => {
      assert.equal(
        await spec('"number":1e400'),
        'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number 1e400 into Go value of type float64',
      )
      assert.match(await spec('"size":100000000000000000000'), /must be of type integer: "number"/)
      assert.match(await spec('"int64":9223372036854775808'), /must be of type int64: "float64"/)
      assert.match(
        await spec('"int32":9007199254740993'),
        /must be of type integer with format int32/,
      )
    })

    test('64 bits survive patches, applies, lists, tables, watches and YAML', async () => {
      const things = '/apis/example.com/v1/namespaces/default/things'
      const big = '9007199254740993'
      const put = `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"big"},"spec":{"size":${big},"list":[${big}]}}`
      const applied = await ask('PATCH', `${things}/big?fieldManager=me`, put, {
        'content-type': 'application/apply-patch+yaml',
      })
      assert.equal(applied.status, 201, await applied.clone().text())
      const text = async (path: string, accept = 'application/json'): Promise<string> =>
        (await ask('GET', path, undefined, { accept })).text()
      const patched = await ask('PATCH', `${things}/big`, `{"spec":{"other":${big}}}`)
      assert.match(await patched.text(), new RegExp(`"list":\\[${big}\\],"other":${big}`))
      const twice = await ask(
        'PATCH',
        `${things}/big`,
        `[{"op":"test","path":"/spec/size","value":${big}},{"op":"copy","from":"/spec/size","path":"/spec/again"}]`,
        { 'content-type': 'application/json-patch+json' },
      )
      assert.match(await twice.text(), new RegExp(`"again":${big}`))
      assert.match(await text(`${things}/big?pretty=1`), new RegExp(`"size": ${big}`))
      assert.match(await text(`${things}/big`, 'application/yaml'), new RegExp(`size: ${big}`))
      assert.match(await text(things), new RegExp(`"size":${big}`))
      const table = await text(things, 'application/json;as=Table;g=meta.k8s.io;v=v1')
      assert.match(table, new RegExp(`"cells":\\["big",${big}\\]`))
    })

    test('a built-in kind takes the digits of an integer, and keeps them', async () => {
      const job = (seconds: string): Promise<Response> =>
        ask(
          'POST',
          '/apis/batch/v1/namespaces/default/jobs',
          `{"metadata":{"generateName":"j-"},"spec":{"activeDeadlineSeconds":${seconds},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"a:1.0"}]}}}}`,
        )
      const kept = await job('9007199254740993')
      const answer = await kept.text()
      assert.equal(kept.status, 201, answer)
      assert.match(answer, /"activeDeadlineSeconds":9007199254740993/)
      const { name } = (parseExact(answer) as { metadata: { name: string } }).metadata
      const { raw } = await protobuf('GET', `/apis/batch/v1/namespaces/default/jobs/${name}`)
      const read = messageReader('io.k8s.api.batch.v1.Job')(new WireReader(raw)) as Loose
      assert.equal(read.spec.activeDeadlineSeconds, 9007199254740993n)
      for (const wrong of ['1.0', '1e3', '9223372036854775808', '1.5']) {
        const { message } = (await (await job(wrong)).json()) as { message: string }
        assert.equal(
          message,
          `Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number ${wrong} into Go struct field JobSpec.spec.activeDeadlineSeconds of type int64`,
        )
      }
    })
  })
})
