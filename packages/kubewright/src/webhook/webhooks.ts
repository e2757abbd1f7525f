import type { Kind } from '../machinery/kind.ts'
import { invalid, type FieldError } from '../machinery/field-error.ts'
import type { KubeObject } from '../machinery/object.ts'
import { answerAdmission, type AdmissionRequest } from './admission-review.ts'
import { answerConversion, type Conversion } from './conversion-review.ts'
import { jsonDiff } from './json-diff.ts'

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
        const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
        return { allowed: true, patchType: 'JSONPatch', patch }
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
