/**
 * The expressions of admission policies and of match conditions (apiserver/pkg/admission/plugin/cel): compiled one after the
 * other, so that each can name the `variables` before it, with the errors that kube-apiserver gives.
 */
import type { CelType } from './cel-type.ts'
import {
  BOOL,
  DYN,
  NULL,
  STRING,
  listOf,
  mapOf,
  objectOf,
  parametersOf,
  runtimeTypeName,
  sameType,
} from './cel-type.ts'
import { compile } from './compile.ts'
import { ADMISSION_REQUEST_TYPE, NAMESPACE_OBJECT_TYPE } from './library/admission.ts'
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from './library/authorizer.ts'
import { constructedType } from './library/construction.ts'
import { KUBERNETES, KUBERNETES_MUTATION } from './library/kubernetes.ts'
import type { Compiled, Program } from './program.ts'

/** Which variables an expression may name beside those that every one may. */
export interface AdmissionScope {
  /** `params`: the policy has a kind of parameters. */
  readonly params: boolean
  /** `authorizer` and `authorizer.requestResource`; the type check of policies knows only the first. */
  readonly authorizer: boolean | 'without requestResource'
  /** `Object{…}`, `JSONPatch{…}` and jsonpatch.escapeKey. Default false. */
  readonly mutation?: boolean
}

/** A compiled expression, or why it is none. */
export interface AdmissionExpression {
  readonly source: string
  readonly program?: Program
  /** The sentence of what is wrong: with the compiler's own report after `compilation failed: `. */
  readonly error?: string
  /** Whether the error is not the author's: the program cannot be made of an expression that checks. */
  readonly internal?: true
}

/** What an expression may give; `any` for whatever it is. */
export type AdmissionResult =
  'condition' | 'message' | 'annotation' | 'any' | 'applyConfiguration' | 'jsonPatch'

const RESULTS: Readonly<Record<AdmissionResult, readonly CelType[]>> = {
  condition: [BOOL],
  message: [STRING],
  annotation: [STRING, NULL],
  any: [],
  applyConfiguration: [constructedType('Object')!],
  jsonPatch: [listOf(constructedType('JSONPatch')!)],
}

/** What the types of `object` (also `oldObject`) and `params` are; `dyn` where nothing is known. */
export interface AdmissionTypes {
  readonly object?: CelType | undefined
  readonly params?: CelType | undefined
}

/** Compiles the expressions of one policy, or the match conditions of one webhook. Holds the variables declared so far. */
export class AdmissionCompiler {
  readonly #composed: boolean
  readonly #types: AdmissionTypes
  readonly #variables = new Map<string, AdmissionExpression>()
  readonly #variableTypes: Record<string, CelType> = {}

  /** `composed` says whether expressions may name `variables` at all. */
  constructor(composed: boolean, types: AdmissionTypes = {}) {
    this.#composed = composed
    this.#types = types
  }

  /** The variables, in the order in which they were declared. */
  get variables(): ReadonlyMap<string, AdmissionExpression> {
    return this.#variables
  }

  /** Compiles an expression and makes it a variable of those that follow, even if it is faulty. */
  declare(name: string, source: string, scope: AdmissionScope): AdmissionExpression {
    const expression = this.compile(source, 'any', scope)
    const type = expression.program?.outputType
    this.#variables.set(name, expression)
    this.#variableTypes[name] = type ? variableType(type) : DYN
    return expression
  }

  compile(source: string, result: AdmissionResult, scope: AdmissionScope): AdmissionExpression {
    const compiled = this.#compiled(source, scope)
    if (!compiled.ok) return refused(source, compiled)
    const { program } = compiled
    const wanted = RESULTS[result]
    const type = program.outputType
    if (wanted.length === 0 || wanted.some((it) => sameType(it, type))) return { source, program }
    const names = wanted.map(typeText)
    const must = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`
    return { source, error: `must evaluate to ${must} but got ${typeText(type)}` }
  }

  /** What the checker alone says of an expression of any type; undefined if nothing. */
  problem(source: string, scope: AdmissionScope): string | undefined {
    const compiled = this.#compiled(source, scope)
    return compiled.ok || compiled.step === 'plan' ? undefined : compiled.text
  }

  #compiled(source: string, scope: AdmissionScope): Compiled {
    const environment = scope.mutation ? KUBERNETES_MUTATION : KUBERNETES
    return compile(source, { environment, variables: this.#scope(scope) })
  }

  #scope({ params, authorizer }: AdmissionScope): Readonly<Record<string, CelType>> {
    const object = this.#types.object ?? DYN
    return {
      object,
      oldObject: object,
      namespaceObject: NAMESPACE_OBJECT_TYPE,
      request: ADMISSION_REQUEST_TYPE,
      ...(params ? { params: this.#types.params ?? DYN } : {}),
      ...(authorizer ? { authorizer: AUTHORIZER_TYPE } : {}),
      ...(authorizer === true ? { 'authorizer.requestResource': RESOURCE_CHECK_TYPE } : {}),
      ...(this.#composed
        ? { variables: objectOf('kubernetes.variables', this.#variableTypes) }
        : {}),
    }
  }
}

function refused(
  source: string,
  compiled: Extract<Compiled, { readonly ok: false }>,
): AdmissionExpression {
  return compiled.step === 'plan'
    ? { source, error: `program instantiation failed: ${compiled.text}`, internal: true }
    : { source, error: `compilation failed: ${compiled.text}` }
}

/** A type as Go's String prints it: by its run-time name. */
function typeText(type: CelType): string {
  const parameters = parametersOf(type).map(typeText)
  const name = runtimeTypeName(type)
  return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`
}

/** What of an expression's type its variable keeps: scalars, and lists and maps of them; the rest becomes dyn. */
function variableType(type: CelType): CelType {
  switch (type.kind) {
    case 'list':
      return listOf(variableType(type.element))
    case 'map':
      return mapOf(variableType(type.key), variableType(type.value))
    case 'object':
    case 'opaque':
    case 'type':
    case 'typeParam':
    case 'wrapper':
    case 'error':
      return DYN
    default:
      return { kind: type.kind }
  }
}
