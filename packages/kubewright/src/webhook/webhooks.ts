import type { Kind } from '../machinery/kind.ts'
import { invalid, type FieldError } from '../machinery/field-error.ts'
import type { KubeObject } from '../machinery/object.ts'
import { stringifyExact } from '../base/exact-json.ts'
import {
  answerAdmission,
  type AdmissionRequest,
  type AdmissionResponse,
} from './admission-review.ts'
import { answerConversion, type Conversion } from './conversion-review.ts'
import { jsonDiff, type JsonPatchOperation } from './json-diff.ts'

/** A webhook as data: where it is served, and what answers a review. */
export interface WebhookDefinition {
  readonly webhook: 'mutating' | 'validating' | 'conversion'
  readonly path: string
  readonly kind: Kind
  readonly answer: (body: unknown) => Promise<object>
}

/** Makes the object that should be stored: the same one when nothing is to be changed. */
export type Defaulter<T extends KubeObject> = (
  object: T,
  request: AdmissionRequest<T>,
) => T | Promise<T>

/** What a {@link Validator} is asked. */
export interface ValidationRequest<T extends KubeObject> extends AdmissionRequest<T> {
  /** Shows a sentence to whoever writes, without refusing. */
  warn(text: string): void
}

/**
 * Judges what is written: answers with field errors (422), throws (403), or says nothing. `object` is the new one, or the one that
 * goes when the operation is DELETE.
 */
export type Validator<T extends KubeObject> = (
  object: T,
  request: ValidationRequest<T>,
) => ValidationAnswer | Promise<ValidationAnswer>

/** Nothing, or what is wrong. */
export type ValidationAnswer = void | readonly FieldError[]

/** A mutating webhook that fills in what the author of an object left out. Unknown fields are kept: only differences are sent. */
export function defaulting<T extends KubeObject>(
  kind: Kind<T>,
  fill: Defaulter<T>,
  options: { readonly path?: string } = {},
): WebhookDefinition {
  return {
    webhook: 'mutating',
    path: options.path ?? pathOf('mutate', kind),
    kind,
    answer: (body) =>
      answerAdmission(async (request) => {
        const { object } = request as AdmissionRequest<T>
        if (!object) return { allowed: true }
        const operations = jsonDiff(object, await fill(object, request as AdmissionRequest<T>))
        if (operations.length === 0) return { allowed: true }
        return { allowed: true, ...patchOf(operations) }
      }, body),
  }
}

/** A validating webhook. */
export function validating<T extends KubeObject>(
  kind: Kind<T>,
  judge: Validator<T>,
  options: { readonly path?: string } = {},
): WebhookDefinition {
  return {
    webhook: 'validating',
    path: options.path ?? pathOf('validate', kind),
    kind,
    answer: (body) =>
      answerAdmission(async (request) => {
        const warnings: string[] = []
        const asked = {
          ...(request as AdmissionRequest<T>),
          warn: (text: string) => void warnings.push(text),
        }
        const object = asked.object ?? asked.oldObject
        const errors = object ? await judge(object, asked) : undefined
        const said = warnings.length > 0 ? { warnings } : {}
        if (!errors?.length) return { allowed: true, ...said }
        const name = asked.name || object?.metadata.name || ''
        return { allowed: false, status: invalid(kind, name, errors).status, ...said }
      }, body),
  }
}

/** What an {@link Admitter} answers. */
export interface Admission {
  readonly allowed: boolean
  /** Why not. */
  readonly message?: string
  /** The answer's status code when it is refused. Default 403. */
  readonly code?: number
  /** What to change of the object, of a mutating webhook (RFC 6902). */
  readonly patch?: readonly JsonPatchOperation[]
  readonly warnings?: readonly string[]
}

/** Judges a request as it came: any operation, subresources, CONNECT. What it throws refuses it. */
export type Admitter<T extends KubeObject> = (
  request: AdmissionRequest<T>,
) => Admission | Promise<Admission>

/** A webhook that gets requests as they are and answers with a patch of its own making, where `defaulting` and `validating` are too narrow. */
export function admitting<T extends KubeObject>(
  kind: Kind<T>,
  webhook: 'mutating' | 'validating',
  admit: Admitter<T>,
  options: { readonly path?: string } = {},
): WebhookDefinition {
  const answer = async (request: AdmissionRequest): Promise<Omit<AdmissionResponse, 'uid'>> => {
    const {
      allowed,
      message,
      code = 403,
      patch,
      warnings,
    } = await admit(request as AdmissionRequest<T>)
    if (patch?.length && webhook === 'validating')
      throw new TypeError('a validating webhook changes nothing: it answered with a patch')
    return {
      allowed,
      ...(allowed ? {} : { status: { code, ...(message ? { message } : {}) } }),
      ...(allowed && patch?.length ? patchOf(patch) : {}),
      ...(warnings?.length ? { warnings } : {}),
    }
  }
  return {
    webhook,
    path: options.path ?? pathOf(webhook === 'mutating' ? 'mutate' : 'validate', kind),
    kind,
    answer: (body) => answerAdmission(answer, body),
  }
}

/** A JSON Patch as an AdmissionResponse carries it. */
const patchOf = (
  operations: readonly JsonPatchOperation[],
): Pick<AdmissionResponse, 'patch' | 'patchType'> => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(stringifyExact(operations)).toString('base64'),
})

/** The conversion webhook of a kind that has several versions, served at `/convert` beside those of other kinds. */
export function converting(conversion: Conversion): WebhookDefinition {
  return {
    webhook: 'conversion',
    path: CONVERT,
    kind: conversion.hub,
    answer: (body) => answerConversion([conversion], body),
  }
}

/** Where conversion is served. */
export const CONVERT = '/convert'

/** `/mutate-example-com-v1-myapp`, `/validate--v1-pod`: the paths that controller-runtime serves too. */
export function pathOf(verb: 'mutate' | 'validate', kind: Kind): string {
  return `/${verb}-${kind.group.replaceAll('.', '-')}-${kind.version}-${kind.kind.toLowerCase()}`
}
