import type { Tags } from 'yaml'

/** Go's YAML takes dates and times of day for text, since JSON has neither. */
const jsonTags = (tags: Tags): Tags =>
  tags.filter(
    (it) => typeof it === 'string' || (it.format !== 'TIME' && !it.tag.endsWith(':timestamp')),
  )

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
  customTags: jsonTags,
})
