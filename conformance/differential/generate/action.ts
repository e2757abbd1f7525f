import { isTree } from './edit.ts'
import { type Making, nameOf, pathTo, push, withQuery } from './making.ts'
import { writeQuery } from './write.ts'

/** A request for a subresource that only a few kinds have: what it is told stands with the kind. */
export function action(making: Making, name: string): void {
  const { chance, kind } = making
  const [ask, type, ...bodies] = chance.pick(kind.actions ?? [])
  const [method = '', part = ''] = ask.split(' ')
  const given = chance.pick(bodies)
  const body = isTree(given) ? named(given, nameOf(making, name)) : given
  push(making, {
    ask: withQuery(`${method} ${pathTo(making, name)}/${part}`, writeQuery(chance)),
    ...(type === '' ? {} : { type }),
    ...(method === 'GET' ? {} : { body }),
  })
}

/** What stands for the object's own name in a body is put there. */
const named = (body: object, name: string): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll('{name}', name))
