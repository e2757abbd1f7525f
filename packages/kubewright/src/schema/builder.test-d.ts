import { words as s } from './builder.ts'
import type { ReadOf, WriteOf } from './schema.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(): T | undefined => undefined

const port = s.object({
  name: s.string(),
  port: s.integer({ format: 'int32' }),
  protocol: s.enum(['TCP', 'UDP'], { default: 'TCP' }),
  note: s.string().optional(),
})
same<
  Equal<
    ReadOf<typeof port>,
    {
      readonly name: string
      readonly port: number
      readonly protocol: 'TCP' | 'UDP'
      readonly note?: string
    }
  >
>()
same<
  Equal<
    WriteOf<typeof port>,
    {
      readonly name: string
      readonly port: number
      readonly protocol?: 'TCP' | 'UDP'
      readonly note?: string
    }
  >
>()

const nullable = s.string({ nullable: true })
same<Equal<ReadOf<typeof nullable>, string | null>>()

s.array(port, { mapKeys: ['port', 'protocol'] })
// @ts-expect-error note may be absent
s.array(port, { mapKeys: ['note'] })
// @ts-expect-error only objects have keys
s.array(s.string(), { mapKeys: ['x'] })
// @ts-expect-error no such option
s.string({ minimum: 1 })
// @ts-expect-error a default is of the value's type
s.integer({ default: 'x' })
// @ts-expect-error a default is one of the values
s.enum(['a', 'b'], { default: 'c' })
s.object({ a: s.integer({ default: 1 }) }, { default: {} })
// @ts-expect-error a is required
s.object({ a: s.integer() }, { default: {} })
// @ts-expect-error null is no value here
s.string({ default: null })
s.string({ default: null, nullable: true })

const open = s.object({ a: s.integer() }, { preserveUnknownFields: true })
const read = {} as ReadOf<typeof open>
same<Equal<typeof read.a, number>>()
same<Equal<(typeof read)['b'], unknown>>()
