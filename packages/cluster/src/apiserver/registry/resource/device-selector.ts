import {
  ANY,
  BOOL,
  compile,
  formatType,
  mapOf,
  objectOf,
  QUANTITY_TYPE,
  STRING,
  type CelType,
} from 'kubewright/cel'
import { forbiddenField, invalidValue, required, tooLong } from 'kubewright/machinery'
import { itemsAt, objectAt, textAt, type Readable } from '../fields.ts'
import type { Errors } from '../generic/checks.ts'
import { checkList } from './shared-rules.ts'

const LONGEST_EXPRESSION = 10 * 1024
const MOST_COST = 1_000_000n
const MOST_SELECTORS = 32
const MOST_PROPERTIES = 32

const bounded = (type: CelType, maxElements: number): CelType => ({ ...type, maxElements })

const DOMAIN = bounded(STRING, 63)
const ID = bounded(STRING, 32)
const VALUE = bounded(ANY, 64)

const properties = (value: CelType): CelType =>
  bounded(mapOf(DOMAIN, bounded(mapOf(ID, value), MOST_PROPERTIES)), MOST_PROPERTIES)

/** What an expression may know of a device (dynamic-resource-allocation/cel). */
const DEVICE = objectOf('kubernetes.DRADevice', {
  driver: DOMAIN,
  allowMultipleAllocations: bounded(BOOL, 1),
  attributes: properties(VALUE),
  capacity: properties(QUANTITY_TYPE),
})

/** The selectors of a request or a class, each an expression in CEL that is true of the devices wanted. */
export function checkSelectors(errors: Errors, field: string, holder: Readable | undefined): void {
  checkList(errors, field, itemsAt(holder, 'selectors'), MOST_SELECTORS, checkSelector)
}

function checkSelector(errors: Errors, field: string, selector: Readable): void {
  const cel = objectAt(selector, 'cel')
  if (!cel) return void errors.push(required(`${field}.cel`))
  const expression = textAt(cel, 'expression')
  const at = `${field}.cel.expression`
  if (Buffer.byteLength(expression) > LONGEST_EXPRESSION) {
    return void errors.push(tooLong(at, LONGEST_EXPRESSION))
  }
  const compiled = compile(expression, { variables: { device: DEVICE } })
  if (!compiled.ok) {
    return void errors.push(invalidValue(at, expression, `compilation failed: ${compiled.text}`))
  }
  const { outputType } = compiled.program
  if (outputType.kind !== 'bool' && outputType.kind !== 'any') {
    const why = `must evaluate to bool or the unknown type, not ${formatType(outputType)}`
    errors.push(invalidValue(at, expression, why))
  } else if (compiled.program.estimateCost().max > MOST_COST) {
    errors.push(forbiddenField(at, 'too complex, exceeds cost limit'))
  }
}
