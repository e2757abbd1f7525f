import { type Document, isCollection, visit } from 'yaml'

/** A directive for a version that Go's parser does not know: it reads YAML 1.1 alone. */
const OTHER_VERSION = /^(?:[ \t]*(?:#.*)?\n)*%YAML[ \t]+(?!1\.1(?:\s|$))\d+\.\d+/

/** What Go refuses of a document that is well written: an alias of what it stands in, and keys that JSON has not. */
export function refusedByGo(document: Document, text: string): string | undefined {
  if (OTHER_VERSION.test(text)) return 'yaml: found incompatible YAML document'
  let refused: string | undefined
  visit(document, {
    Alias(_, alias, path) {
      const target = alias.resolve(document)
      if (!target || !path.includes(target)) return undefined
      refused = `yaml: anchor '${alias.source}' value contains itself`
      return visit.BREAK
    },
    Pair(_, { key }) {
      if (!isCollection(key)) return undefined
      refused = `yaml: invalid map key: ${goSyntax(key.toJS(document))}`
      return visit.BREAK
    },
  })
  return refused
}

/** A value as fmt's %#v prints it. */
function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, it]) => `${goSyntax(key)}:${goSyntax(it)}`)
    return `map[interface {}]interface {}{${members.join(', ')}}`
  }
  if (typeof value === 'string') return JSON.stringify(value)
  return value === null ? 'interface {}(nil)' : String(value)
}
