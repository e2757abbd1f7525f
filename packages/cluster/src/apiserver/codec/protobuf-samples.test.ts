import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseApiVersion } from 'kubewright/machinery'
import { definitionName } from '../resources/builtins.ts'
import { decodeBuiltin } from '../resources/decode.ts'
import { parseBody } from './body.ts'
import { openEnvelope, PREFIX, readEnvelope } from './protobuf.ts'
import { protobufBytes } from './protobuf-encode.ts'

/** The wire samples that Kubernetes publishes in its Go modules: every field of every kind, in JSON, YAML and protobuf. */
const MODULES = join(
  process.env['GOMODCACHE'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'pkg', 'mod'),
  'k8s.io',
)
const ROOTS = ['api@v0.36.3/testdata', 'apiextensions-apiserver@v0.36.3/pkg/apis/testdata'].map(
  (it) => join(MODULES, it),
)
const skip = ROOTS.every((it) => existsSync(it))
  ? false
  : 'the k8s.io Go modules are not in the module cache'

interface Sample {
  readonly name: string
  readonly path: string
  readonly object: { readonly apiVersion: string; readonly kind: string }
}

/** The samples of a version, of the kinds that are served. */
function samples(version: string): readonly Sample[] {
  return ROOTS.flatMap((root) =>
    globSync(`${version}/*.pb`, { cwd: root }).map((it) => join(root, it)),
  )
    .filter((path) => !path.includes('after_roundtrip'))
    .map((path) => sampleAt(path.slice(0, -'.pb'.length)))
    .filter(({ object }) => object.apiVersion && isServed(object))
}

const sampleAt = (path: string): Sample => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  object: JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Sample['object'],
})

const isServed = ({ apiVersion, kind }: Sample['object']): boolean =>
  definitionName({ ...parseApiVersion(apiVersion), kind }) !== undefined

const decoded = (value: unknown, { apiVersion, kind }: Sample['object']): unknown =>
  JSON.parse(JSON.stringify(decodeBuiltin(value, { ...parseApiVersion(apiVersion), kind }).object))

const hex = (bytes: Buffer): string => bytes.toString('hex')

describe('the wire samples of Kubernetes', { skip }, () => {
  test('JSON becomes the protobuf that Go writes', () => {
    const all = samples('HEAD')
    assert.ok(all.length > 80, `only ${all.length} samples were found`)
    for (const { name, path, object } of all) {
      assert.equal(hex(protobufBytes(object)), hex(readFileSync(`${path}.pb`)), name)
    }
  })

  test('protobuf and YAML say what JSON says', () => {
    for (const { name, path, object } of samples('HEAD')) {
      const expected = decoded(structuredClone(object), object)
      const fromProtobuf = readEnvelope(openEnvelope(readFileSync(`${path}.pb`)))
      assert.deepEqual(decoded(fromProtobuf, object), expected, `${name}.pb`)
      const yaml = parseBody(readFileSync(`${path}.yaml`, 'utf8'), 'application/yaml', true)
      assert.deepEqual(yaml.problems, [], name)
      assert.deepEqual(decoded(yaml.value, object), expected, `${name}.yaml`)
    }
  })

  for (const version of ['v1.33.0', 'v1.34.0', 'v1.35.0']) {
    test(`what ${version} wrote comes back as Go brings it back`, () => {
      for (const { name, path } of samples(version)) {
        const back = [`${path}.after_roundtrip.pb`, `${path}.pb`].find((it) => existsSync(it))!
        const read = readEnvelope(openEnvelope(readFileSync(`${path}.pb`)))
        assert.equal(hex(protobufBytes(read as never)), hex(readFileSync(back)), name)
      }
    })
  }
})

test('what a real server answered in JSON is the protobuf that it answered', () => {
  const lines = readFileSync(new URL('testdata/protobuf.jsonl', import.meta.url), 'utf8')
  for (const line of lines.trimEnd().split('\n')) {
    const { object, protobuf } = JSON.parse(line) as { object: Sample['object']; protobuf: string }
    assert.equal(hex(protobufBytes(object)), hex(Buffer.from(protobuf, 'base64')), object.kind)
  }
  assert.deepEqual([...PREFIX], [0x6b, 0x38, 0x73, 0])
})
