/** Kubernetes' find and findAll (pkg/cel/library/regex.go). */
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'
import { compilePattern, patternFind, patternFindAll } from '../pattern.ts'
import type { Value } from '../value.ts'
import { ArrayList, EvalError } from '../value.ts'

function find(text: string, source: string): Value {
  const pattern = compilePattern(source)
  if (pattern instanceof EvalError) return new EvalError(`Illegal regex: ${pattern.message}`)
  return patternFind(pattern, text)
}

function findAll(text: string, source: string, limit = -1n): Value {
  const pattern = compilePattern(source)
  if (pattern instanceof EvalError) return new EvalError(`Illegal regex: ${pattern.message}`)
  return new ArrayList(patternFindAll(pattern, text, Number(limit)))
}

/** See the file. */
export const REGEX: Library = {
  name: 'kubernetes.regex',
  functions: [
    fn('find', overload('string_find_string', 'string.(string): string', find)),
    fn(
      'findAll',
      overload('string_find_all_string', 'string.(string): list<string>', findAll),
      overload('string_find_all_string_int', 'string.(string, int): list<string>', findAll),
    ),
  ],
}
