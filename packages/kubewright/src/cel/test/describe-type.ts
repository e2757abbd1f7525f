/** Types as Go's `%v` prints them: like the checker, with the long names of timestamps and durations. */
import type { CelType } from '../cel-type.ts'
import { parametersOf, runtimeTypeName } from '../cel-type.ts'

/** See the file. */
export function describeType(type: CelType): string {
  const parameters = parametersOf(type).map(describeType)
  const name = type.kind === 'dyn' ? 'dyn' : runtimeTypeName(type)
  return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`
}
