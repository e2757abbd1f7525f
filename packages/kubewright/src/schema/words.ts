import { type Builder, words } from './builder.ts'
import { type Fragments, fragments } from './fragments/fragments.ts'

/** Everything an author can say of a value. */
export type SchemaWords = Builder & Fragments

/** The words with which authors declare values: `s.string({ minLength: 1 })`, `s.array(s.integer())`, `s.envVars()`. */
export const s: SchemaWords = Object.freeze({ ...words, ...fragments })
