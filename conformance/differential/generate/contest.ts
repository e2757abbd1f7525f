import { apiVersionOf } from '../kinds/kind.ts'
import { edited, pathOf } from './edit.ts'
import { type Making, nameOf, pathTo, push, turnVersion, withQuery } from './making.ts'

/** Several managers apply one field, with force and without, give it up, and take it back; others write it in between. */
export function contest(given: Making, name: string): void {
  const making = turnVersion(given)
  const { chance, kind } = making
  const fields = kind.fields.filter(([, ...values]) => values.length > 1)
  if (fields.length === 0) return
  const [path, ...values] = chance.pick(fields)
  const target = pathTo(making, name)
  const body = (value: unknown): unknown =>
    edited(
      {
        apiVersion: apiVersionOf(making.base),
        kind: kind.kind,
        metadata: {
          name: nameOf(making, name),
          ...(kind.namespaced ? {} : { labels: { own: '{x}' } }),
        },
        ...kind.object,
      },
      { path: pathOf(path), value },
    )
  const applies = (manager: string, value: unknown, more: readonly string[] = []): void =>
    push(making, {
      ask: withQuery(`PATCH ${target}`, [`fieldManager=${manager}`, ...more]),
      type: 'apply',
      body: body(value),
    })
  const moves: readonly (() => void)[] = [
    () => applies('one', chance.pick(values)),
    () => applies('two', chance.pick(values)),
    () => applies('two', chance.pick(values), ['force=true']),
    () => applies('one', undefined),
    () => applies('two', undefined, ['force=true']),
    () =>
      push(making, { ask: `PUT ${target}?fieldManager=three`, body: body(chance.pick(values)) }),
    () =>
      push(making, {
        ask: `PATCH ${target}`,
        type: 'merge',
        body: { metadata: { managedFields: [{}] } },
      }),
  ]
  applies('one', chance.pick(values))
  for (let count = 2 + chance.below(3); count > 0; count--) chance.pick(moves)()
}
