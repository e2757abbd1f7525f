/** What a program does with bindings, limits and values: the parts that have no counterpart in Kubernetes' tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AUTHORIZER_TYPE,
  BOOL,
  DYN,
  DURATION,
  Duration,
  EvalError,
  INT,
  KUBERNETES_MUTATION,
  OptionalValue,
  RESOURCE_CHECK_TYPE,
  STRING,
  Timestamp,
  Uint,
  authorizerValue,
  celTypeOfSchema,
  compile,
  listOf,
  mapOf,
  objectOf,
  optionalOf,
  resourceCheckValue,
  toJson,
  toText,
  typeNameProblems,
} from './index.ts'
import type {
  AccessRequest,
  Bindings,
  CelType,
  CompileOptions,
  EvaluateOptions,
  Evaluation,
  Program,
} from './index.ts'

function program(source: string, options: CompileOptions = {}): Program {
  const compiled = compile(source, options)
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.text)
  return compiled.program
}

function evaluate(
  source: string,
  variables: Readonly<Record<string, CelType>> = {},
  bindings: Bindings = {},
  options: EvaluateOptions = {},
): Evaluation {
  return program(source, { variables }).evaluate(bindings, options)
}

function json(evaluation: Evaluation): unknown {
  return evaluation.ok ? toJson(evaluation.value) : evaluation.error
}

test('references tells which variables an expression uses', () => {
  const variables = { self: INT, oldSelf: INT }
  assert.equal(program('self > 1', { variables }).references('oldSelf'), false)
  assert.equal(program('self > 1 && oldSelf > 1', { variables }).references('oldSelf'), true)
  assert.deepEqual(program('[self]', { variables }).outputType, { kind: 'list', element: INT })
})

test('a number is what its type says', () => {
  const variables = { i: INT, d: { kind: 'double' }, any: DYN } as const
  const bindings = { i: 2, d: 2, any: 2 }
  assert.equal(
    json(evaluate('type(i) == int && type(d) == double && type(any) == int', variables, bindings)),
    true,
  )
  assert.equal(json(evaluate('i / 4 == 0 && d / 4.0 == 0.5', variables, bindings)), true)
  assert.deepEqual(json(evaluate('i + 1', { i: INT }, { i: 1.5 })), {
    message: 'invalid data, expected int, got float64',
  })
})

test('bindings: absent, optional, lazy, values, errors', () => {
  const variables = { x: INT, o: optionalOf(INT) }
  assert.deepEqual(json(evaluate('x', variables)), { message: 'no such attribute(s): x' })
  assert.deepEqual(json(evaluate('x == 1 || true', variables)), true)
  assert.equal(json(evaluate('o.hasValue()', variables)), false)
  assert.equal(json(evaluate('o.value()', variables, { o: 3 })), 3)
  assert.equal(json(evaluate('o.value()', variables, { o: new OptionalValue(4n) })), 4)
  let calls = 0
  const lazy = { x: () => ++calls }
  assert.equal(json(evaluate('x + x', variables, lazy)), 2)
  assert.equal(json(evaluate('true || x == 1', variables, lazy)), true)
  assert.equal(calls, 1)
  assert.equal(json(evaluate('x', variables, { x: 5n })), 5)
  assert.deepEqual(json(evaluate('x', variables, { x: new EvalError('no') })), { message: 'no' })
})

test('a variable may have a dot in its name', () => {
  const variables = {
    authorizer: AUTHORIZER_TYPE,
    'authorizer.requestResource': RESOURCE_CHECK_TYPE,
  }
  const authorizer = { authorize: () => ({ allowed: true, reason: '' }) }
  const resource = { group: '', resource: 'pods', subresource: '', namespace: '', name: '' }
  const source = "authorizer.requestResource.check('get').allowed()"
  const bindings = { 'authorizer.requestResource': resourceCheckValue(authorizer, resource) }
  assert.equal(json(evaluate(source, variables, bindings)), true)
})

test('an object may have getters and hold values; its prototype is not looked at', () => {
  const variables = {
    o: objectOf('o', { a: INT, d: DURATION, toString: STRING }),
    m: mapOf(STRING, DYN),
  }
  const o = {
    get a() {
      return 7
    },
    d: new Duration(5n),
  }
  assert.equal(json(evaluate('o.a', variables, { o })), 7)
  assert.equal(json(evaluate('o.d == duration("5ns")', variables, { o })), true)
  assert.equal(json(evaluate('has(o.toString)', variables, { o })), false)
  assert.equal(
    json(evaluate('"constructor" in m || has(m.__proto__)', variables, { m: {} })),
    false,
  )
  const tagged = JSON.parse('{"tag": "error", "__proto__": 1}') as object
  assert.equal(json(evaluate('m.tag + string(m.__proto__)', variables, { m: tagged })), 'error1')
})

test('nothing is copied: what was bound comes back', () => {
  const items = Object.freeze([1, 2, 3])
  assert.equal(json(evaluate('x', { x: listOf(INT) }, { x: items })), items)
  const o = Object.freeze({ a: Object.freeze({ b: 1 }) })
  const type = celTypeOfSchema({
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } },
  })
  assert.ok(type)
  assert.equal(json(evaluate('o.a', { o: type }, { o })), o.a)
})

test('the cost limit ends an evaluation that would absorb errors', () => {
  const source = '[1, 2, 3].all(x, [1, 2, 3].exists(y, y > x)) || true'
  const full = evaluate(source)
  assert.ok(full.ok)
  const limited = evaluate(source, {}, {}, { costLimit: full.cost - 1 })
  assert.deepEqual(limited, {
    ok: false,
    error: { message: 'operation cancelled: actual cost limit exceeded' },
    costLimitExceeded: true,
    cost: limited.cost,
  })
  assert.ok(evaluate(source, {}, {}, { costLimit: full.cost }).ok)
})

test('what is too large costs too much, and throws in no case', () => {
  const limited = evaluate(
    'lists.range(1000000000).all(x, x >= 0)',
    {},
    {},
    { costLimit: 1_000_000 },
  )
  assert.equal(limited.ok || limited.costLimitExceeded, true)
  const grow = `'${'a'.repeat(1024)}'.replace('a', ${"'b'.replace('b', '" + 'c'.repeat(1000) + "')"})`
  const source = `[${grow}].map(s, s.replace('c', s))[0].size() > 0`
  const huge = evaluate(source)
  assert.deepEqual(json(huge), { message: 'internal error: Invalid string length' })
})

test('a program may be evaluated again and again', () => {
  const sum = program('x.map(i, i * 2).filter(i, i > 2).size() + x.size()', {
    variables: { x: listOf(INT) },
  })
  for (const x of [[], [1], [1, 2, 3], []]) {
    const expected = x.filter((i) => i * 2 > 2).length + x.length
    assert.equal(json(sum.evaluate({ x })), expected)
  }
})

test('expected output types', () => {
  const compiled = compile('1', { expect: [STRING, BOOL] })
  assert.equal(compiled.ok ? '' : compiled.text, 'must evaluate to one of [string bool]')
  assert.ok(compile('true', { expect: [STRING, BOOL] }).ok)
})

test('a constant that cannot be makes no program', () => {
  const compiled = compile("'a'.find('(')")
  assert.deepEqual(compiled, {
    ok: false,
    step: 'plan',
    issues: [{ message: 'error parsing regexp: missing closing ): `(`', line: -1, column: -1 }],
    text: 'error parsing regexp: missing closing ): `(`',
  })
})

test('the authorizer is asked what the expression says', () => {
  const asked: AccessRequest[] = []
  const authorizer = {
    authorize(request: AccessRequest) {
      asked.push(request)
      return request.verb === 'fail'
        ? { allowed: false, reason: '', error: 'broken' }
        : { allowed: request.verb === 'get', reason: 'because' }
    },
  }
  const variables = { authorizer: AUTHORIZER_TYPE, check: RESOURCE_CHECK_TYPE }
  const bindings = {
    authorizer: authorizerValue(authorizer),
    check: resourceCheckValue(authorizer, {
      group: 'apps',
      resource: 'deployments',
      subresource: '',
      namespace: 'ns',
      name: 'web',
    }),
  }
  const run = (source: string): unknown => json(evaluate(source, variables, bindings))
  assert.equal(run("authorizer.path('/healthz').check('get').allowed()"), true)
  assert.equal(
    run(
      "authorizer.serviceAccount('ns', 'sa').group('').resource('pods').subresource('log').namespace('a').name('b').fieldSelector('x=y').labelSelector('z').check('create').reason()",
    ),
    'because',
  )
  assert.equal(
    run("check.check('fail').errored() && check.check('fail').error() == 'broken'"),
    true,
  )
  assert.deepEqual(run("authorizer.path(' ').check('get').allowed()"), {
    message: 'path must not be empty',
  })
  assert.deepEqual(run("authorizer.serviceAccount('NS', 'sa').path('/')"), {
    message: 'Invalid service account namespace',
  })
  assert.deepEqual(asked.slice(0, 2), [
    { path: '/healthz', verb: 'get' },
    {
      verb: 'create',
      serviceAccount: { namespace: 'ns', name: 'sa' },
      resource: {
        group: '',
        resource: 'pods',
        subresource: 'log',
        namespace: 'a',
        name: 'b',
        fieldSelector: 'x=y',
        labelSelector: 'z',
      },
    },
  ])
  const priced = evaluate("check.check('get').allowed()", variables, bindings)
  assert.equal(priced.cost, 350_002)
})

test('mutations construct objects and patches', () => {
  const environment = KUBERNETES_MUTATION
  const run = (source: string): Evaluation => program(source, { environment }).evaluate({})
  const value = run(
    "Object{spec: Object.spec{replicas: 3, ?paused: optional.none(), template: Object.spec.template{labels: {'a': 'b'}, list: [Object.spec.template.list{x: 1}]}}}",
  )
  assert.ok(value.ok)
  assert.deepEqual(json(value), {
    spec: { replicas: 3, template: { labels: { a: 'b' }, list: [{ x: 1 }] } },
  })
  assert.deepEqual(typeNameProblems(value.value), [])
  const wrong = run('Object{spec: Object.status{a: 1}}')
  assert.ok(wrong.ok)
  assert.deepEqual(typeNameProblems(wrong.value), [
    'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
  ])
  assert.deepEqual(
    json(
      run(
        "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b~c'), value: {'x': 1}}]",
      ),
    ),
    [{ op: 'add', path: '/metadata/labels/a~1b~0c', value: { x: 1 } }],
  )
  assert.equal(
    json(
      run(
        'Object{a: 1} == Object{a: 1} && Object{a: 1} != Object{a: 2} && has(Object{a: 1}.a) && Object{a: 1}.a == 1',
      ),
    ),
    true,
  )
  const typo = compile("JSONPatch{operation: 'add'}", { environment })
  assert.match(
    typo.ok ? '' : typo.text,
    /expected type of field 'operation' is '' but provided type is 'string'/,
  )
  assert.equal(compile('Object{}').ok, false)
})

test('values as JSON and as text', () => {
  assert.equal(toJson(2n ** 60n), '1152921504606846976')
  assert.equal(toJson(new Uint(5n)), 5)
  assert.equal(toJson(Uint8Array.of(104, 105)), 'aGk=')
  assert.equal(toJson(new Timestamp(0n, 5_000_000)), '1970-01-01T00:00:00.005Z')
  assert.equal(toJson(new Duration(-1_500_000_000n)), '-1.5s')
  assert.deepEqual(
    json(
      evaluate(
        '{"1": dyn([dyn(true), dyn(null)]), "a": dyn({"b": 1.5}), "n": dyn(optional.none())}',
      ),
    ),
    {
      1: [true, null],
      a: { b: 1.5 },
    },
  )
  assert.equal(toText('a'), 'a')
  assert.equal(toText(new OptionalValue(1n)), 'optional(1)')
})

test('an expression deeper than the stack is refused, not thrown', () => {
  for (const source of [`1${'+1'.repeat(40_000)}`, `a${'.b'.repeat(40_000)}`]) {
    const compiled = compile(source)
    assert.ok(!compiled.ok)
    assert.match(compiled.text, /expression recursion limit exceeded: 250/)
  }
})

test('long texts and huge amounts take no time', () => {
  const cases = [
    ['isQuantity(x)', `${'0'.repeat(200_000)}x`],
    ["quantity(x).compareTo(quantity('1')) == 1", '1e999999999'],
    ['x.trim() == x', `a${' '.repeat(200_000)}b`],
    ["duration(x) == duration('0')", '1'.repeat(200_000)],
    ['double(x) == 1.0', `${'1'.repeat(200_000)}x`],
  ] as const
  for (const [source, x] of cases) {
    const compiled = compile(source, { variables: { x: STRING } })
    assert.ok(compiled.ok, compiled.ok ? '' : compiled.text)
    const result = compiled.program.evaluate({ x })
    const fails = source.startsWith('du') || source.startsWith('do')
    assert.equal(result.ok, !fails, source)
    if (result.ok) assert.equal(result.value, source !== 'isQuantity(x)')
  }
})
