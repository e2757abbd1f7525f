/** Types and overloads for every node, and every mistake with its place (cel-go's checker/checker.go). */
import type {
  CallExpr,
  Expr,
  FoldExpr,
  IdentExpr,
  ListExpr,
  MapExpr,
  SelectExpr,
  StructExpr,
} from './ast.ts'
import { OPERATORS } from './ast.ts'
import type { CelType } from './cel-type.ts'
import {
  BOOL,
  DYN,
  ERROR,
  INT,
  STRING,
  formatType,
  listOf,
  mapOf,
  optionalOf,
  runtimeTypeName,
  sameType,
  typeParam,
} from './cel-type.ts'
import { RESERVED_WORDS } from './escape.ts'
import type { FunctionDeclaration, Overload } from './declaration.ts'
import type { Environment } from './environment.ts'
import type { Parsed } from './parser.ts'
import type { Issue } from './program.ts'
import { typeOfValue } from './runtime-type.ts'
import type { Reference } from './scope.ts'
import { Scope } from './scope.ts'
import { NO_LOCATION, locationOf } from './source.ts'
import {
  Substitution,
  assignAll,
  isDyn,
  isDynOrError,
  mostGeneral,
  substitute,
  unwrapOptional,
} from './unify.ts'

/** A checked tree. Types and references are by node id. */
export interface Checked extends Parsed {
  readonly types: readonly CelType[]
  readonly references: ReadonlyMap<number, Reference>
}

const MAX_ISSUES = 100

/** Checks a parsed source. The result's issues are empty if it is well typed. */
export function check(
  source: string,
  parsed: Parsed,
  environment: Environment,
  variables: Readonly<Record<string, CelType>>,
): Checked {
  return new Checker(source, parsed, environment, variables).check()
}

/** `a.b.c` for a chain of plain selections, undefined for anything else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.testOnly) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}

class Checker {
  readonly #source: string
  readonly #parsed: Parsed
  readonly #environment: Environment
  readonly #types: (CelType | undefined)[] = []
  readonly #references = new Map<number, Reference>()
  readonly #issues: Issue[] = []
  readonly #scope: Scope
  readonly #substitution = new Substitution()
  #variableCount = 0

  constructor(
    source: string,
    parsed: Parsed,
    environment: Environment,
    variables: Readonly<Record<string, CelType>>,
  ) {
    this.#source = source
    this.#parsed = parsed
    this.#environment = environment
    this.#scope = new Scope(environment, variables)
  }

  check(): Checked {
    this.#check(this.#parsed.expr)
    const types = this.#types.map((type) => substitute(this.#substitution, type ?? DYN, true))
    return { ...this.#parsed, types, references: this.#references, issues: this.#issues }
  }

  // results

  #set(expr: { readonly id: number }, type: CelType): void {
    this.#types[expr.id] = type
  }

  #type(expr: Expr): CelType {
    return this.#types[expr.id] ?? ERROR
  }

  #report(id: number, message: string): void {
    if (this.#issues.length >= MAX_ISSUES) return
    const offset = this.#parsed.offsets[id]
    const place = offset === undefined ? NO_LOCATION : locationOf(this.#source, offset)
    this.#issues.push({ message, ...place })
  }

  #mismatch(id: number, expected: CelType, actual: CelType): void {
    this.#report(id, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  #undeclared(id: number, name: string): void {
    this.#report(
      id,
      `undeclared reference to '${name}' (in container '${this.#environment.container}')`,
    )
  }

  // types

  #isAssignable(a: CelType, b: CelType): boolean {
    return this.#areAssignable([a], [b])
  }

  #areAssignable(a: readonly CelType[], b: readonly CelType[]): boolean {
    return assignAll(this.#substitution, a, b)
  }

  #resolved(type: CelType): CelType {
    return substitute(this.#substitution, type, false)
  }

  #freshVariable(): CelType {
    return typeParam(`_var${this.#variableCount++}`)
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current
    return this.#isAssignable(previous, current) ? mostGeneral(previous, current) : DYN
  }

  // nodes

  #check(expr: Expr): void {
    switch (expr.kind) {
      case 'literal':
        return this.#set(expr, typeOfValue(expr.value))
      case 'ident':
        return this.#checkIdent(expr)
      case 'select':
        return this.#checkSelect(expr)
      case 'call':
        return this.#checkCall(expr)
      case 'list':
        return this.#checkList(expr)
      case 'map':
        return this.#checkMap(expr)
      case 'struct':
        return this.#checkStruct(expr)
      case 'fold':
        return this.#checkFold(expr)
    }
  }

  #checkIdent(expr: IdentExpr): void {
    const found = this.#scope.lookup(expr.name)
    this.#set(expr, found?.type ?? ERROR)
    if (found === undefined) this.#undeclared(expr.id, expr.name)
    else this.#references.set(expr.id, found.reference)
  }

  #checkSelect(expr: SelectExpr): void {
    const name = qualifiedName(expr)
    const found = name === undefined ? undefined : this.#scope.lookup(name)
    if (found !== undefined) {
      this.#set(expr, found.type)
      this.#references.set(expr.id, found.reference)
      return
    }
    const type = this.#checkField(expr.id, expr.operand, expr.field, false)
    this.#set(expr, expr.testOnly ? BOOL : this.#resolved(type))
  }

  #checkOptSelect(expr: CallExpr): void {
    const [operand, field] = expr.args as [Expr, Expr]
    const name = field.kind === 'literal' && typeof field.value === 'string' ? field.value : ''
    this.#set(field, STRING)
    this.#set(expr, this.#resolved(this.#checkField(expr.id, operand, name, true)))
    this.#references.set(expr.id, { name: expr.fn, overloads: ['select_optional_field'] })
  }

  #checkField(id: number, operand: Expr, field: string, optional: boolean): CelType {
    this.#check(operand)
    const [target, wasOptional] = unwrapOptional(this.#resolved(this.#type(operand)))
    const type = this.#fieldType(id, target, field)
    return optional || wasOptional ? optionalOf(type) : type
  }

  #fieldType(id: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.value
      case 'object':
        return this.#lookupField(id, target, field) ?? ERROR
      case 'typeParam':
        this.#isAssignable(DYN, target)
        return DYN
      default:
        if (!isDynOrError(target)) {
          this.#report(id, `type '${formatType(target)}' does not support field selection`)
        }
        return DYN
    }
  }

  #lookupField(
    id: number,
    target: CelType & { kind: 'object' },
    field: string,
  ): CelType | undefined {
    if (target.abstract === true) {
      this.#report(id, `unexpected failed resolution of '${target.name}'`)
      return undefined
    }
    // Since 1.31 a field named like a keyword may be written as it is: self.namespace.
    const escaped = RESERVED_WORDS.has(field) ? target.fields.get(`__${field}__`) : undefined
    const found = target.fields.get(field) ?? escaped
    if (found === undefined) this.#report(id, `undefined field '${field}'`)
    return found?.type
  }

  #checkCall(expr: CallExpr): void {
    if (expr.fn === OPERATORS.optSelect) return this.#checkOptSelect(expr)
    for (const argument of expr.args) this.#check(argument)
    const { target } = expr
    if (target !== undefined) {
      const prefix = qualifiedName(target)
      const namespaced = prefix && this.#scope.lookupFunction(`${prefix}.${expr.fn}`)
      if (namespaced) return this.#resolveCall(expr, namespaced, undefined)
      this.#check(target)
    }
    const found = this.#scope.lookupFunction(expr.fn)
    if (found !== undefined) return this.#resolveCall(expr, found, target)
    this.#set(expr, ERROR)
    return this.#undeclared(expr.id, expr.fn)
  }

  #resolveCall(expr: CallExpr, fn: FunctionDeclaration, target: Expr | undefined): void {
    const operands = target === undefined ? expr.args : [target, ...expr.args]
    if (fn.name === OPERATORS.and || fn.name === OPERATORS.or) return this.#checkLogic(expr, fn)
    const types = operands.map((operand) => this.#type(operand))
    const overloads: string[] = []
    let result: CelType | undefined
    for (const overload of fn.overloads) {
      if (overload.member !== (target !== undefined)) continue
      if (overload.parameters.length !== types.length) continue
      const { parameters, result: declared } = this.#instantiate(overload)
      if (!this.#areAssignable(types, parameters)) continue
      overloads.push(overload.id)
      const type = this.#resolved(declared)
      if (result === undefined) result = type
      else if (!isDyn(result) && !sameType(type, result)) result = DYN
    }
    this.#set(expr, result ?? ERROR)
    if (result === undefined) return this.#noOverload(expr.id, fn.name, types, target !== undefined)
    const namespaced = target === undefined && expr.target !== undefined
    this.#references.set(expr.id, { name: fn.name, overloads, namespaced })
    return undefined
  }

  /** The overload's types with fresh variables for its own. */
  #instantiate(overload: Overload): Pick<Overload, 'parameters' | 'result'> {
    if (overload.variables.length === 0) return overload
    const fresh = new Substitution()
    for (const name of overload.variables) fresh.set(name, this.#freshVariable())
    return {
      parameters: overload.parameters.map((type) => substitute(fresh, type, false)),
      result: substitute(fresh, overload.result, false),
    }
  }

  #checkLogic(expr: CallExpr, fn: FunctionDeclaration): void {
    let ok = true
    for (const argument of expr.args) {
      const type = this.#type(argument)
      if (this.#isAssignable(type, BOOL)) continue
      this.#mismatch(argument.id, BOOL, type)
      ok = false
    }
    this.#set(expr, ok ? BOOL : ERROR)
    const overloads = fn.overloads.map((overload) => overload.id)
    if (ok) this.#references.set(expr.id, { name: fn.name, overloads })
  }

  #noOverload(id: number, name: string, types: readonly CelType[], member: boolean): void {
    const all = types.map((type) => formatType(substitute(this.#substitution, type, true)))
    const target = member ? `${all.shift()}.` : ''
    this.#report(
      id,
      `found no matching overload for '${name}' applied to '${target}(${all.join(', ')})'`,
    )
  }

  #checkList(expr: ListExpr): void {
    let elementType: CelType | undefined
    for (const [i, element] of expr.elements.entries()) {
      this.#check(element)
      const type = this.#elementType(element, expr.optional.has(i))
      elementType = this.#join(elementType, type)
    }
    this.#set(expr, listOf(elementType ?? this.#freshVariable()))
  }

  /** The type of an element; of what is inside it where it is marked as optional. */
  #elementType(element: Expr, optional: boolean): CelType {
    const type = this.#type(element)
    if (!optional) return type
    const [inner, wasOptional] = unwrapOptional(type)
    if (!wasOptional && !isDyn(inner)) this.#mismatch(element.id, optionalOf(inner), inner)
    return inner
  }

  #checkMap(expr: MapExpr): void {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    for (const { key, value, optional } of expr.entries) {
      this.#check(key)
      keyType = this.#join(keyType, this.#type(key))
      this.#check(value)
      valueType = this.#join(valueType, this.#elementType(value, optional))
    }
    this.#set(expr, mapOf(keyType ?? this.#freshVariable(), valueType ?? this.#freshVariable()))
  }

  #checkStruct(expr: StructExpr): void {
    const found = this.#scope.lookup(expr.type)
    if (found === undefined) {
      this.#undeclared(expr.id, expr.type)
      return this.#set(expr, ERROR)
    }
    this.#references.set(expr.id, { name: found.reference.name })
    const type = this.#structType(expr, found.type)
    this.#set(expr, type)
    for (const field of expr.fields) this.#checkStructField(type, field)
  }

  #structType(expr: StructExpr, type: CelType): CelType {
    if (type.kind !== 'type' || type.of === undefined) {
      this.#report(expr.id, `'${runtimeTypeName(type)}' is not a type`)
      return ERROR
    }
    if (type.of.kind === 'object') return type.of
    this.#report(expr.id, `'${runtimeTypeName(type.of)}' is not a message type`)
    return ERROR
  }

  #checkStructField(type: CelType, field: StructExpr['fields'][number]): void {
    this.#check(field.value)
    const expected =
      type.kind === 'object' ? (this.#lookupField(field.id, type, field.name) ?? ERROR) : ERROR
    const actual = this.#elementType(field.value, field.optional)
    if (this.#isAssignable(expected, actual)) return
    this.#report(
      field.id,
      `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(actual)}'`,
    )
  }

  #checkFold(expr: FoldExpr): void {
    this.#check(expr.range)
    this.#check(expr.accuInit)
    const rangeType = this.#resolved(this.#type(expr.range))
    const accuType = this.#type(expr.accuInit)
    const [first, second] = this.#iterationTypes(expr, rangeType)
    this.#scope.push(new Map([[expr.accuVar, accuType]]))
    const inner = new Map([[expr.iterVar, first]])
    if (expr.iterVar2 !== undefined) inner.set(expr.iterVar2, second)
    this.#scope.push(inner)
    this.#check(expr.condition)
    this.#assertType(expr.condition, BOOL)
    this.#check(expr.step)
    this.#assertType(expr.step, accuType)
    this.#scope.pop()
    this.#check(expr.result)
    this.#scope.pop()
    this.#set(expr, this.#resolved(this.#type(expr.result)))
  }

  /** The types of the first and the second iteration variable. */
  #iterationTypes(expr: FoldExpr, range: CelType): readonly [CelType, CelType] {
    const hasTwo = expr.iterVar2 !== undefined
    switch (range.kind) {
      case 'list':
        return hasTwo ? [INT, range.element] : [range.element, DYN]
      case 'map':
        return [range.key, range.value]
      case 'dyn':
      case 'error':
      case 'typeParam':
        this.#isAssignable(DYN, range)
        return [DYN, DYN]
      default:
        this.#report(
          expr.range.id,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [ERROR, ERROR]
    }
  }

  #assertType(expr: Expr, type: CelType): void {
    const actual = this.#type(expr)
    if (!this.#isAssignable(type, actual)) this.#mismatch(expr.id, type, actual)
  }
}
