import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Expr } from './ast.ts'
import { walk } from './ast.ts'
import { compile } from './compile.ts'
import { KUBERNETES } from './library/kubernetes.ts'
import { parse } from './parser.ts'

const { macros } = KUBERNETES

/** A tree in Lisp notation. */
function shown(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'bigint' ? `${expr.value}` : JSON.stringify(expr.value)
    case 'ident':
      return expr.name
    case 'select':
      return `(${expr.testOnly ? 'has' : '.'} ${shown(expr.operand)} ${expr.field})`
    case 'call': {
      const parts = expr.target === undefined ? expr.args : [expr.target, ...expr.args]
      return `(${expr.target === undefined ? '' : '.'}${[expr.fn, ...parts.map(shown)].join(' ')})`
    }
    case 'list':
      return `[${expr.elements.map((e, i) => (expr.optional.has(i) ? '?' : '') + shown(e)).join(' ')}]`
    case 'map':
      return `{${expr.entries.map((e) => `${e.optional ? '?' : ''}${shown(e.key)}:${shown(e.value)}`).join(' ')}}`
    case 'struct':
      return `${expr.type}{${expr.fields.map((f) => `${f.optional ? '?' : ''}${f.name}:${shown(f.value)}`).join(' ')}}`
    case 'fold':
      return `(fold ${shown(expr.range)} ${[expr.iterVar, expr.iterVar2].filter(Boolean).join(' ')} ${[expr.accuInit, expr.condition, expr.step, expr.result].map(shown).join(' ')})`
  }
}

test('precedence, associativity and forms', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['1 + 2 * 3', '(_+_ 1 (_*_ 2 3))'],
    ['1 - 2 - 3', '(_-_ (_-_ 1 2) 3)'],
    ['a < b == c', '(_==_ (_<_ a b) c)'],
    ['a && b && c && d', '(_&&_ (_&&_ a b) (_&&_ c d))'],
    ['a || b && c', '(_||_ a (_&&_ b c))'],
    ['a ? b : c ? d : e', '(_?_:_ a b (_?_:_ c d e))'],
    ['!!a', 'a'],
    ['-a', '(-_ a)'],
    ['- 1', '-1'],
    ['--1', '1'],
    ['1 -1', '(_-_ 1 1)'],
    ['-1.abs()', '(.abs -1)'],
    ['a.b.c(d)[0]', '(_[_] (.c (. a b) d) 0)'],
    ['.a.b', '(. .a b)'],
    ['a.?b[?0]', '(_[?_] (_?._ a "b") 0)'],
    ['[1, ?a, ]', '[1 ?a]'],
    ['{"a": 1, ?b: c}', '{"a":1 ?b:c}'],
    ['Object.spec{replicas: 1, ?x: y}', 'Object.spec{replicas:1 ?x:y}'],
    ['a in [1]', '(@in a [1])'],
    ['has(a.b[0].c)', '(has (_[_] (. a b) 0) c)'],
    [
      '[1].all(x, x > 0)',
      '(fold [1] x true (@not_strictly_false @result) (_&&_ @result (_>_ x 0)) @result)',
    ],
    ['m.map(k, v)', '(fold m k [] true (_+_ @result [v]) @result)'],
    ['"a\\n\\u00e9\\x41\\101" + r"\\n"', '(_+_ "a\\néAA" "\\\\n")'],
    ["\"\"\"a\"b''\"\"\" + '''x'y'''", '(_+_ "a\\"b\'\'" "x\'y")'],
    ['a // comment\n + b', '(_+_ a b)'],
    ['0xFF + 1.5e3 + .5', '(_+_ (_+_ 255 1500) 0.5)'],
  ]
  const actual = cases.map(([source]) => [source, shown(parse(source, macros).expr)])
  assert.deepEqual(actual, cases)
})

test('every node of a parsed source has its own id and an offset inside it', () => {
  const source =
    'self.items.filter(i, has(i.a) && i.a.?b.orValue(2) > 1).sortBy(x, x.n).map(y, [y, {"k": y}])'
  const { expr, offsets } = parse(source, macros)
  const seen = new Set<number>()
  walk(expr, ({ id }) => {
    assert.ok(!seen.has(id), `id ${id} occurs twice`)
    seen.add(id)
    assert.ok((offsets[id] ?? -1) >= 0 && (offsets[id] ?? source.length) < source.length)
  })
})

test('syntax errors read as cel-go’s', () => {
  const url = new URL('testdata/syntax-errors.json', import.meta.url)
  const cases = JSON.parse(readFileSync(url, 'utf8')) as readonly (readonly [string, string])[]
  const actual = cases.map(([source]) => {
    const compiled = compile(source)
    return [source, compiled.ok ? '' : compiled.text]
  })
  assert.deepEqual(actual, cases)
})

test('long chains of operators stay shallow, deep nesting is refused', () => {
  assert.deepEqual(parse(Array.from({ length: 2000 }, () => 'a').join(' && '), macros).issues, [])
  const deep = parse(`${'('.repeat(300)}1${')'.repeat(300)}`, macros)
  assert.deepEqual(deep.issues, [
    { message: 'expression recursion limit exceeded: 250', line: -1, column: -1 },
  ])
  const [large] = parse(`'${'a'.repeat(100_000)}'`, macros).issues
  assert.equal(
    large?.message,
    'expression code point size exceeds limit: size: 100002, limit 100000',
  )
})

test('no text makes the parser throw or hang', () => {
  const pieces = [
    'a',
    '.',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    '?',
    ':',
    '+',
    '-',
    '!',
    '"s"',
    '1',
    'in',
    '&&',
    '==',
    ' ',
    '`',
    '"',
    'é',
    'true',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const { issues, expr } = parse(parts.join(''), macros)
      assert.ok(issues.length > 0 || expr.kind.length > 0)
    }),
  )
})
