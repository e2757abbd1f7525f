/** Kubernetes' jsonpatch.escapeKey: a key as a segment of a JSON pointer (pkg/cel/library/jsonpatch.go, RFC 6901). */
import type { Library } from '../declaration.ts'
import { fn, overload } from '../declaration.ts'

/** See the file. Part of the environment of mutating admission policies only. */
export const JSON_PATCH: Library = {
  name: 'kubernetes.jsonpatch',
  functions: [
    fn(
      'jsonpatch.escapeKey',
      overload('string_jsonpatch_escapeKey_string', '(string): string', (key: string) =>
        key.replaceAll(/[~/]/g, (character) => (character === '~' ? '~0' : '~1')),
      ),
    ),
  ],
}
