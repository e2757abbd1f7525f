import type { Draft, ObjectOf } from '../machinery/index.ts'
import { words as s } from './builder.ts'
import { type SpecOf, kind } from './kind.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(): T | undefined => undefined

const MyApp = kind('example.com/v1', 'MyApp', {
  spec: { replicas: s.integer({ minimum: 1, default: 1 }), image: s.string({ minLength: 1 }) },
  status: { readyReplicas: s.integer() },
  columns: { Ready: '.status.readyReplicas' },
})

type MyApp = ObjectOf<typeof MyApp>
same<Equal<MyApp['spec']['replicas'], number>>()
same<Equal<NonNullable<MyApp['status']>['readyReplicas'], number | undefined>>()
same<Equal<SpecOf<typeof MyApp>, { readonly image: string; readonly replicas?: number }>>()

const draft: Draft<MyApp> = { metadata: { name: 'web' }, spec: { image: 'nginx' } }
// @ts-expect-error an image is a string
const wrong: Draft<MyApp> = { metadata: { name: 'web' }, spec: { image: 1 } }
// @ts-expect-error no such field
const unknown: Draft<MyApp> = { metadata: { name: 'web' }, spec: { imgae: 'nginx' } }
// @ts-expect-error an image is needed
const spec: SpecOf<typeof MyApp> = { replicas: 1 }
// @ts-expect-error the core group has no custom kinds
kind('v1', 'MyApp', { spec: {} })
// @ts-expect-error a path begins with a dot
kind('example.com/v1', 'MyApp', { spec: { a: s.string() }, columns: { A: 'spec.a' } })
export const used: unknown[] = [draft, wrong, unknown, spec]

const whole = kind('example.com/v1', 'Whole', {
  spec: s.object({ a: s.string() }, { validations: [{ rule: 'self.a != "x"' }] }),
})
same<Equal<ObjectOf<typeof whole>['spec'], { readonly a: string }>>()
