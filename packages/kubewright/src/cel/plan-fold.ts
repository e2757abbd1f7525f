/** Comprehensions: a loop with an accumulator that is computed at its first use, as in cel-go. */
import type { Expr, FoldExpr } from './ast.ts'
import { ACCUMULATOR } from './ast.ts'
import type { Eval, Frame } from './frame.ts'
import { EvalError, GrowingList, ArrayList, EntryMap, isError, isList, isMap } from './value.ts'
import type { Value } from './value.ts'
import type { Node, Planner } from './plan.ts'
import { goTypeName } from './runtime-type.ts'

/** Plans a loop. */
export function planFold(planner: Planner, expr: FoldExpr): Node {
  const range = planner.plan(expr.range).run
  const init = planner.plan(expr.accuInit).run
  const accu = planner.localCount++
  const first = planner.localCount++
  const second = planner.localCount++
  const grows = expr.accuVar === ACCUMULATOR
  planner.locals.push({ name: expr.accuVar, read: readAccumulator(accu, init, grows) })
  const names = [expr.iterVar, ...(expr.iterVar2 === undefined ? [] : [expr.iterVar2])]
  const [condition, step] = withLocals(planner, names, [first, second], [expr.condition, expr.step])
  const result = planner.plan(expr.result).run
  planner.locals.pop()
  const loop: Loop = { accu, first, second, condition: condition as Eval, step: step as Eval }
  const iterate = expr.iterVar2 === undefined ? iterateOne : iterateTwo
  return {
    run(frame) {
      const over = range(frame)
      if (isError(over)) return over
      frame.locals[accu] = undefined
      const failure = iterate(frame, loop, over)
      return failure ?? finished(result(frame))
    },
  }
}

interface Loop {
  readonly accu: number
  readonly first: number
  readonly second: number
  readonly condition: Eval
  readonly step: Eval
}

function withLocals(
  planner: Planner,
  names: readonly string[],
  slots: readonly number[],
  exprs: readonly Expr[],
): readonly Eval[] {
  for (const [i, name] of names.entries()) {
    const slot = slots[i] as number
    planner.locals.push({ name, read: (frame) => frame.locals[slot] as Value })
  }
  const runs = exprs.map((expr) => planner.plan(expr).run)
  planner.locals.length -= names.length
  return runs
}

function readAccumulator(slot: number, init: Eval, grows: boolean): Eval {
  return (frame) => {
    const current = frame.locals[slot]
    if (current !== undefined) return current
    const start = init(frame)
    return (frame.locals[slot] = grows ? growing(start) : start)
  }
}

/** An empty list or map is replaced by one that grows in place, so that building n elements takes n steps. */
function growing(value: Value): Value {
  if (isList(value) && value.size === 0) return new GrowingList()
  if (isMap(value) && value.size === 0) return new EntryMap()
  return value
}

function finished(value: Value): Value {
  return value instanceof GrowingList ? new ArrayList(value.items) : value
}

/** One round; false ends the loop. An error as condition does not. */
function round(frame: Frame, loop: Loop): boolean {
  if (loop.condition(frame) === false) return false
  frame.locals[loop.accu] = loop.step(frame)
  return true
}

/** Over the elements of a list or the keys of a map. */
function iterateOne(frame: Frame, loop: Loop, range: Value): EvalError | undefined {
  if (isList(range)) {
    for (let i = 0; i < range.size; i++) {
      frame.locals[loop.first] = range.at(i)
      if (!round(frame, loop)) break
    }
    return undefined
  }
  if (isMap(range)) {
    for (const key of range.keys()) {
      frame.locals[loop.first] = key
      if (!round(frame, loop)) break
    }
    return undefined
  }
  return new EvalError(`got '${goTypeName(range)}', expected iterable type`)
}

/** Over index and element, or key and value. */
function iterateTwo(frame: Frame, loop: Loop, range: Value): EvalError | undefined {
  if (isList(range)) {
    for (let i = 0; i < range.size; i++) {
      frame.locals[loop.first] = BigInt(i)
      frame.locals[loop.second] = range.at(i)
      if (!round(frame, loop)) break
    }
    return undefined
  }
  if (isMap(range)) {
    for (const key of range.keys()) {
      frame.locals[loop.first] = key
      frame.locals[loop.second] = range.find(key) ?? null
      if (!round(frame, loop)) break
    }
    return undefined
  }
  return new EvalError(`unsupported comprehension range type: ${goTypeName(range)}`)
}
