import {
  ApiError,
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  decodeJsonPatch,
  failure,
  type JsonObject,
  type JsonValue,
  PatchError,
  type UnknownObject,
} from 'kubewright/machinery'
import { goKindOf } from '../codec/go-json-error.ts'
import type { KindName } from '../resources/builtins.ts'
import type { Served } from './served.ts'

/** The four ways to say a change. */
export type Dialect = 'json' | 'merge' | 'strategic' | 'apply'

/** By media type, in the order in which a refusal lists them. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

/**
 * Patches an object, or what a subresource shows of it as one of the kind `shown`. The result shares nothing with `current`: it may be changed in place. Throws the ApiError that the real
 * server answers a patch with that cannot be applied.
 */
export function applyDialect(
  dialect: Exclude<Dialect, 'apply'>,
  current: UnknownObject,
  patch: unknown,
  served: Served,
  shown?: KindName,
): Record<string, unknown> {
  const document = structuredClone(current) as unknown as JsonObject
  try {
    const patched = PATCHERS[dialect](document, patch as JsonValue, served, shown)
    return asObject(patched)
  } catch (error) {
    if (error instanceof PatchError) throw patchFailure(error)
    throw error
  }
}

const PATCHERS: Readonly<
  Record<
    Exclude<Dialect, 'apply'>,
    (document: JsonObject, patch: JsonValue, served: Served, shown?: KindName) => unknown
  >
> = {
  json: (document, patch) => applyJsonPatch(document, decodeJsonPatch(patch)),
  merge: (document, patch) => {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goKindOf(patch)} into Go value of type map[string]interface {}`,
      )
    }
    return applyMergePatch(document, patch)
  },
  strategic: (document, patch, served, shown) => {
    if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
      throw badRequest(
        `json: cannot unmarshal ${goKindOf(patch)} into Go value of type map[string]interface {}`,
      )
    }
    return served.strategicMerge!(document as unknown as UnknownObject, patch, shown)
  },
}

function asObject(patched: unknown): Record<string, unknown> {
  if (typeof patched === 'object' && patched !== null && !Array.isArray(patched)) {
    return patched as Record<string, unknown>
  }
  throw badRequest(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKindOf(patched)} into Go value of type struct`,
  )
}

/** What kube-apiserver makes of a patch that cannot be applied: only a malformed one and one too long have a reason. */
export function patchFailure(error: PatchError): ApiError {
  switch (error.reason) {
    case 'BadRequest':
      return badRequest(error.message)
    case 'Unprocessable':
      return new ApiError(
        failure(
          422,
          'Invalid',
          'the server rejected our request due to an error in our request',
          {},
        ),
      )
    case 'TooLarge':
      return new ApiError(failure(413, 'RequestEntityTooLarge', error.message))
    case 'Internal':
      return new ApiError(failure(500, undefined, error.message))
  }
}
