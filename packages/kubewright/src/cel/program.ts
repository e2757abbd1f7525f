/**
 * What a compiled expression offers: interfaces only. The schema room and admission code against this file;
 * `compile.ts` makes the values.
 */
import type { CelType } from './cel-type.ts'
import type { Value } from './value.ts'

/** A mistake found in a source text. */
export interface Issue {
  /** The sentence alone: "undefined field 'a'". Syntax errors start with "Syntax error: ". */
  readonly message: string
  /** 1-based line. */
  readonly line: number
  /** 0-based column in code points, as cel-go counts; `text` shows it 1-based. */
  readonly column: number
}

/** Which step refused the source. `output`: it checked, but its type is not an expected one. `plan`: a constant part of it fails. */
export type FailedStep = 'parse' | 'check' | 'output' | 'plan'

/** The outcome of {@link compile}. */
export type Compiled =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false
      readonly step: FailedStep
      /** In source order. */
      readonly issues: readonly Issue[]
      /**
       * What cel-go's `issues.String()` prints: one block `ERROR: <input>:1:6: …` with source line and caret per issue,
       * joined by newlines. For `output` and `plan` the bare message.
       */
      readonly text: string
    }

/** A size known to lie between two bounds, in elements, bytes or characters. 2^64-1 is "no bound". */
export interface SizeEstimate {
  readonly min: bigint
  readonly max: bigint
}

/** A cost known to lie between two bounds, in cel-go's cost units. 2^64-1 is "no bound". */
export interface CostEstimate {
  readonly min: bigint
  readonly max: bigint
}

/**
 * Tells how large the value at a path of a declared variable may be. The path starts with the variable's name, goes on
 * with field names (CEL identifiers), `@items` (list element), `@keys` and `@values` (map) and `@indices`.
 * Undefined: not known here. Called by {@link Program.estimateCost}; must be pure.
 */
export type SizeEstimator = (path: readonly string[], type: CelType) => SizeEstimate | undefined

/** Options of one evaluation. */
export interface EvaluateOptions {
  /** Evaluation stops with `costLimitExceeded` as soon as the cost is greater. Default: no limit. */
  readonly costLimit?: number
}

/** The outcome of an evaluation. An expected failure (no such key, overflow, …) is data, never thrown. */
export type Evaluation =
  | { readonly ok: true; readonly value: Value; readonly cost: number }
  | {
      readonly ok: false
      readonly error: {
        /** cel-go's wording: "no such key: a", "operation cancelled: actual cost limit exceeded", … */
        readonly message: string
      }
      readonly costLimitExceeded: boolean
      readonly cost: number
    }

/**
 * What `evaluate` binds to each declared variable.
 *
 * - Plain JSON: read lazily through the declared type; a number is an int or a double as the type says (under `dyn`, a
 *   number with no fraction is an int). It must not change while the program runs, and is never written to or copied.
 * - A CEL value: bigint, {@link Uint}, Timestamp, Duration, a list or map value, an authorizer, an `EvalError` (using the
 *   variable fails with it), … is taken as it is.
 * - For a variable of type `optional_type(T)`: undefined or an absent name is `optional.none()`, anything else that is not
 *   an optional already is `optional.of(it)`.
 * - A function without parameters: called at the first use, at most once an evaluation; returns one of the above.
 * - Undefined, or the name left out: using the variable fails with "no such attribute(s): name".
 *
 * The same holds for what sits inside JSON objects, so an object may mix in CEL values or have getters.
 */
export type Bindings = Readonly<Record<string, unknown>>

/** A checked expression that can be evaluated many times. Immutable; safe to share. */
export interface Program {
  readonly source: string
  /** The type the checker found; type variables left over are `dyn`. */
  readonly outputType: CelType
  /** Whether the expression refers to the variable, e.g. `references('oldSelf')`. */
  references(name: string): boolean
  /**
   * The static cost, as cel-go's checker estimates it with the Kubernetes library costs.
   * Default sizes: the bounds in the declared variables' types.
   */
  estimateCost(size?: SizeEstimator): CostEstimate
  /** Evaluates. Never throws for anything the expression or the data does. */
  evaluate(bindings: Bindings, options?: EvaluateOptions): Evaluation
}
