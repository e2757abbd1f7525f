import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseExact } from 'kubewright/base'
import { isConflict } from 'kubewright/machinery'
import { parseBody, SyntaxProblem } from './body.ts'
import { duplicateAndUnknown, duplicateFields } from './duplicate-fields.ts'
import { goSyntaxError } from './go-json-error.ts'
import {
  CUSTOM_INPUT,
  forCustom,
  negotiateInput,
  negotiateOutput,
  type Offer,
  OFFERS,
  parseAccept,
} from './negotiate.ts'
import { strictFindings, yamlDuplicates } from './yaml-duplicates.ts'
import { yamlText } from './yaml-text.ts'

describe('duplicate fields', () => {
  test('are told by their path, once each, in order', () => {
    assert.deepEqual(duplicateFields('{"a":1,"a":2,"a":3}'), ['a'])
    assert.deepEqual(
      duplicateFields('{"spec":{"l":[{"n":1},{"n":1,"n":2}]}, "x" : 1, "spec":{"b":1,"b":2}}'),
      ['spec.l[1].n', 'spec', 'spec.b'],
    )
    assert.deepEqual(duplicateFields('{"a\\"b":1,"a\\u0022b":2,"c":"}{\\\\"}'), ['a"b'])
  })

  test('and unknown ones are told in the order of the text; of what is unknown, no more', () => {
    const text =
      '{"spec":{"no":{"a":1,"a":2},"replicas":2,"replicas":3,"no":1},"data":{"k":"1","k":"2"},"last":1}'
    const found = duplicateAndUnknown(text, new Set(['spec.no', 'last']))
    assert.deepEqual(
      found.map(({ problem, path }) => `${problem} ${path}`),
      ['unknown spec.no', 'duplicate spec.replicas', 'duplicate data.k', 'unknown last'],
    )
  })

  test('no JSON text without any has any, however it is written', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
        assert.deepEqual(duplicateFields(JSON.stringify(JSON.parse(text), undefined, indent)), [])
      }),
    )
  })
})

describe('what Go says of broken JSON', () => {
  const cases: readonly (readonly [text: string, sentence: string])[] = [
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":[1,', 'unexpected end of JSON input'],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1]x', "invalid character 'x' after top-level value"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['x', "invalid character 'x' looking for beginning of value"],
  ]
  for (const [text, sentence] of cases) {
    test(JSON.stringify(text), () => assert.equal(goSyntaxError(text), sentence))
  }

  test('every text that JSON.parse refuses has a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:1a\\ t') }), (text) => {
        try {
          JSON.parse(text)
        } catch {
          assert.match(goSyntaxError(text), /^(invalid character|unexpected end)/)
        }
      }),
    )
  })
})

describe('bodies', () => {
  test('are JSON or YAML, with what is given twice', () => {
    const yaml = 'a: 1\nb: {c: yes, d: "x"}\n'
    assert.deepEqual(parseBody(yaml, 'application/yaml', true), {
      value: { a: 1, b: { c: true, d: 'x' } },
      problems: [],
    })
    const twice = parseBody('{"a":1,"a":2}', 'application/json', true)
    assert.deepEqual(twice, { value: { a: 2 }, problems: ['duplicate field "a"'] })
    assert.deepEqual(parseBody('{"a":1,"a":2}', 'application/json', false).problems, [])
    assert.equal(parseBody('a: 1\na: 2\n', 'application/yaml', true).problems.length, 1)
    assert.throws(() => parseBody('{', 'application/json', false), SyntaxProblem)
    assert.throws(() => parseBody('a: [}', 'application/yaml', false), SyntaxProblem)
  })

  test('what YAML gives twice is told by its line, inside first, and in one sentence', () => {
    const text = [
      'metadata: {name: a, name: b}',
      'data: {1: "1", 1: "2", "x y": "1"}',
      'list:',
      '- {k: 1}',
      '- k: 1',
      '  k: 2',
      'data: {}',
    ].join('\n')
    const found = [
      'line 1: key "name" already set in map',
      'line 2: key 1 already set in map',
      'line 6: key "k" already set in map',
      'line 7: key "data" already set in map',
    ]
    assert.deepEqual(yamlDuplicates(text), found)
    assert.deepEqual(parseBody(text, 'application/yaml', true).problems, found)
    assert.deepEqual(parseBody('{"a":1,\n"a":2}', 'application/yaml', true).problems, [
      'line 2: key "a" already set in map',
    ])
    assert.equal(
      strictFindings([...found.slice(0, 2), 'unknown field "x"']),
      `yaml: unmarshal errors:\n  ${found[0]}\n  ${found[1]}, unknown field "x"`,
    )
  })

  test('YAML says again what it was made of', () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: false, maxDepth: 2 }), (object) => {
        const json = parseExact(JSON.stringify(object))
        assert.deepEqual(parseBody(yamlText(json), 'application/yaml', false).value, json)
      }),
      { numRuns: 50 },
    )
  })
})

describe('negotiation', () => {
  test('clauses are taken by quality, then by how much they say, then in order', () => {
    const types = (header: string): readonly string[] => parseAccept(header).map((it) => it.type)
    assert.deepEqual(types('a/b;q=0.5, c/d;as=Table;q=0.9 , e/f'), ['e/f', 'c/d', 'a/b'])
    assert.deepEqual(types('*/*, a/*, a/b'), ['a/b', 'a/*', '*/*'])
    assert.deepEqual(types('*, a, a/b/c, ,;'), ['*/*'])
    assert.deepEqual(types('a/b;q=x, c/d'), ['c/d', 'a/b'])
  })

  const PB = 'application/vnd.kubernetes.protobuf'
  const output = (accept: string, offer: Offer = OFFERS.object): string => {
    const { mediaType, as } = negotiateOutput(accept, false, offer)
    return as ? `${mediaType} as ${as.kind} ${as.version}` : mediaType
  }
  /** Messages of a real server. */
  const ROUTE =
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf'
  const ACCEPTED =
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf'

  test('the first that there is answers', () => {
    assert.equal(output(''), 'application/json')
    assert.equal(output('*/*'), 'application/json')
    assert.equal(output('application/yaml'), 'application/yaml')
    assert.equal(output(`${PB},application/json`), PB)
    assert.equal(output(`application/json,${PB}`), 'application/json')
    assert.equal(output(`application/json;q=0.1,${PB};q=0.9`), PB)
    assert.equal(output(`${PB};q=0,application/json`), 'application/json')
    assert.equal(output('application/json;q=0'), 'application/json')
    assert.equal(output('text/html,application/xml;q=0.9,*/*;q=0.8'), 'application/json')
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    assert.equal(output(table), 'application/json as Table v1')
    assert.equal(output('application/json;as=Table;v=v9;g=meta.k8s.io,*/*'), 'application/json')
    assert.equal(
      output(`${PB};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`),
      `${PB} as PartialObjectMetadata v1`,
    )
    assert.equal(output('application/json;sv=v1'), 'application/json')
  })

  test('what is not there is refused, by the route or after it', () => {
    const refusals: readonly (readonly [accept: string, message: string, offer?: Offer])[] = [
      ['text/html', ROUTE],
      ['application/*', ROUTE],
      ['*', ROUTE],
      ['APPLICATION/JSON', ROUTE],
      [',', ROUTE],
      ['application/json;as=Other;v=v1;g=meta.k8s.io', ACCEPTED],
      ['application/json;stream=foo', ACCEPTED],
      ['application/yaml;stream=watch', ACCEPTED],
      ['application/json;sv=v2', ACCEPTED],
      ['application/json;sv=v1', ACCEPTED, OFFERS.document],
      [`${PB};as=Table;v=v1;g=meta.k8s.io`, ACCEPTED],
      ['text/plain', ACCEPTED, forCustom(OFFERS.object)],
      [PB, ACCEPTED, forCustom(OFFERS.object)],
      ['text/plain', `${ROUTE}, application/json;stream=watch, ${PB};stream=watch`, OFFERS.list],
    ]
    for (const [accept, message, offer] of refusals) {
      assert.throws(() => output(accept, offer), { message }, accept)
    }
    assert.equal(output('application/*', forCustom(OFFERS.object)), 'application/json')
    assert.equal(output(`${PB},application/json`, forCustom(OFFERS.object)), 'application/json')
  })

  test('a body is what it says it is, JSON where it says nothing', () => {
    assert.equal(negotiateInput(undefined, CUSTOM_INPUT), 'application/json')
    assert.equal(
      negotiateInput('application/yaml; charset=utf-8', CUSTOM_INPUT),
      'application/yaml',
    )
    const refused = (error: unknown): boolean =>
      !isConflict(error) && /application\/json, app/.test(String(error))
    assert.throws(
      () => negotiateInput('application/vnd.kubernetes.protobuf', CUSTOM_INPUT),
      refused,
    )
  })
})
