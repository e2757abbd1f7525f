import { stringify } from 'yaml'

/** A JSON value as YAML the way Kubernetes writes it: keys sorted, two spaces, strings quoted where YAML 1.1 would misread them. */
export function yamlText(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    sortMapEntries: true,
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  })
}
