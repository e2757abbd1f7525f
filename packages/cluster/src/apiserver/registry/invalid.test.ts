import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { ApiError, invalid } from 'kubewright/machinery'
import { created, resourceNamed } from './testing/harness.ts'

/** What kube-apiserver v1.36 said of an object: causes as field, message, reason; or another refusal; or warnings and consent. */
interface Row {
  readonly resource: string
  readonly input: object
  readonly code?: number
  readonly causes?: readonly (readonly [string, string, string])[]
  readonly message?: string
}

const HOME = new URL('testdata/', import.meta.url)

for (const file of readdirSync(HOME).filter((it) => it.startsWith('invalid-'))) {
  const rows = JSON.parse(readFileSync(new URL(file, HOME), 'utf8')) as readonly Row[]
  rows.forEach((row, i) => {
    test(`${file} ${i}: ${JSON.stringify(row.input).slice(0, 120)}`, async () => {
      const expected = row.message ?? (row.causes ?? []).toSorted(byText)
      assert.deepEqual(await answer(row), expected)
    })
  })
}

// Go walks maps in any order, so causes are compared without one.
const byText = (a: readonly string[], b: readonly string[]): number =>
  a.join('\n') < b.join('\n') ? -1 : 1

async function answer(row: Row): Promise<string | readonly (readonly string[])[]> {
  const resource = resourceNamed(row.resource)
  try {
    const { errors } = await created(resource, row.input)
    return causesOf(invalid(resource, '', errors))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.code === 422 ? causesOf(error) : error.message
  }
}

function causesOf(error: ApiError): readonly (readonly string[])[] {
  const causes = error.status.details?.causes ?? []
  return causes.map((it) => [it.field ?? '', it.message ?? '', it.reason ?? '']).toSorted(byText)
}
