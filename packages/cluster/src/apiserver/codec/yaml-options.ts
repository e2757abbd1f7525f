import type { Tags } from 'yaml'
import { GO_SCALARS } from './yaml-scalars.ts'

/** Collections as JSON has them: what YAML 1.1 calls a set or an ordered map is a map or a list. */
const goTags = (tags: Tags): Tags => [
  ...tags.filter((it) => typeof it !== 'string' && /:(?:map|seq|str|merge)$/.test(it.tag)),
  ...GO_SCALARS,
]

/** How bodies in YAML are read: as Go's YAML 1.1, to what JSON can say. */
export const YAML_OPTIONS: {
  readonly version: '1.1'
  readonly merge: true
  readonly schema: 'yaml-1.1'
  readonly logLevel: 'error'
  readonly customTags: (tags: Tags) => Tags
} = Object.freeze({
  version: '1.1',
  merge: true,
  schema: 'yaml-1.1',
  logLevel: 'error',
  customTags: goTags,
})
