import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { fresh, recorded, REGISTRATION } from '../../testing/recorded.ts'

/** What kube-apiserver v1.36 says of an object of the group: causes as field, message, reason; or a message; or nothing. */
interface Row {
  readonly plural: string
  readonly body: object
  readonly causes?: readonly (readonly string[])[]
  readonly message?: string
  readonly warnings?: readonly string[]
}

const ROWS = recorded<Row>(new URL('../testdata/admission-registration.json', import.meta.url))

describe('what is registered for admission', () => {
  const { server, send } = fresh()
  after(() => server.close())

  ROWS.forEach((row, i) => {
    test(`${i}: ${row.plural} ${JSON.stringify(row.body).slice(0, 160)}`, async () => {
      const path = `${REGISTRATION}/${row.plural}?dryRun=All&fieldValidation=Ignore`
      const { status, body, warnings } = await send('POST', path, row.body)
      const { causes } = (body['details'] ?? {}) as { causes?: readonly Record<string, string>[] }
      const found = causes?.map((it) => [it['field'], it['message'], it['reason']])
      assert.deepEqual(warnings, row.warnings ?? [])
      if (row.causes) assert.deepEqual(found?.toSorted(byText), row.causes)
      else if (row.message) assert.equal(body.message, row.message)
      else assert.equal(status, 201, String(body.message))
    })
  })
})

const byText = (a: readonly unknown[], b: readonly unknown[]): number =>
  String(a) < String(b) ? -1 : 1
