/** Makes syntax nodes with their ids and offsets, expanding macro calls. */
import type { EntryExpr, Expr, FieldExpr } from './ast.ts'
import type { Macro, NodeFactory } from './macro.ts'
import { isMacroError, macroKey } from './macro.ts'
import type { Value } from './value.ts'

/** One per parsed source. */
export class NodeMaker {
  /** The UTF-16 offset of each node, by id. */
  readonly offsets: number[] = [0]
  readonly #macros: ReadonlyMap<string, Macro>
  readonly #report: (offset: number, message: string) => void

  constructor(
    macros: ReadonlyMap<string, Macro>,
    report: (offset: number, message: string) => void,
  ) {
    this.#macros = macros
    this.#report = report
  }

  id(offset: number): number {
    return this.offsets.push(offset) - 1
  }

  literal(value: Value, offset: number): Expr {
    return { kind: 'literal', id: this.id(offset), value }
  }

  /** A call node, or what the macro of that name makes of it. The offset is that of the operator or parenthesis. */
  call(fn: string, offset: number, target: Expr | undefined, args: readonly Expr[]): Expr {
    const macro = this.#macros.get(macroKey(fn, args.length, target !== undefined))
    if (macro === undefined) return { kind: 'call', id: this.id(offset), fn, target, args }
    const expanded = macro.expand(this.#factory(offset), target, args)
    if (!isMacroError(expanded)) return expanded
    const blamed = this.offsets[expanded.at.id] ?? offset
    this.#report(blamed, expanded.message)
    return this.literal(null, blamed)
  }

  #factory(offset: number): NodeFactory {
    const id = (): number => this.id(offset)
    return {
      literal: (value) => ({ kind: 'literal', id: id(), value }),
      ident: (name) => ({ kind: 'ident', id: id(), name }),
      call: (fn, ...args) => ({ kind: 'call', id: id(), fn, target: undefined, args }),
      memberCall: (fn, target, ...args) => ({ kind: 'call', id: id(), fn, target, args }),
      list: (...elements) => ({ kind: 'list', id: id(), elements, optional: new Set() }),
      map: (...entries) => ({
        kind: 'map',
        id: id(),
        entries: entries.map((entry) => ({ ...entry, id: id() })),
      }),
      presenceTest: (operand, field) => ({
        kind: 'select',
        id: id(),
        operand,
        field,
        testOnly: true,
      }),
      fold: (parts) => ({ kind: 'fold', id: id(), ...parts }),
      copy: (expr) => this.#copy(expr),
    }
  }

  #copy(expr: Expr): Expr {
    const id = this.id(this.offsets[expr.id] ?? 0)
    const copy = (child: Expr): Expr => this.#copy(child)
    switch (expr.kind) {
      case 'literal':
      case 'ident':
        return { ...expr, id }
      case 'select':
        return { ...expr, id, operand: copy(expr.operand) }
      case 'call':
        return { ...expr, id, target: expr.target && copy(expr.target), args: expr.args.map(copy) }
      case 'list':
        return { ...expr, id, elements: expr.elements.map(copy) }
      case 'map':
        return { ...expr, id, entries: expr.entries.map((entry) => this.#copyEntry(entry)) }
      case 'struct':
        return { ...expr, id, fields: expr.fields.map((field) => this.#copyField(field)) }
      case 'fold':
        return {
          ...expr,
          id,
          range: copy(expr.range),
          accuInit: copy(expr.accuInit),
          condition: copy(expr.condition),
          step: copy(expr.step),
          result: copy(expr.result),
        }
    }
  }

  #copyEntry(entry: EntryExpr): EntryExpr {
    const id = this.id(this.offsets[entry.id] ?? 0)
    return { ...entry, id, key: this.#copy(entry.key), value: this.#copy(entry.value) }
  }

  #copyField(field: FieldExpr): FieldExpr {
    return { ...field, id: this.id(this.offsets[field.id] ?? 0), value: this.#copy(field.value) }
  }
}
