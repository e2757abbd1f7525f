import { resolve } from 'node:path'
import { parse } from 'yaml'
import type { ImageMap, ImageProgram } from './image-map.ts'

/**
 * Reads an image map: a YAML or JSON document whose keys are patterns of image names, alone or under `images`, and whose values are
 * {@link ImageProgram}s, or a program's command line as a text or a list. Relative paths of `root` and
 * `files` are seen from `folder`, where one is given. Throws a sentence where the document says something else.
 */
export function parseImageMap(text: string, folder?: string): ImageMap {
  const document: unknown = parse(text)
  if (!isRecord(document)) throw new Error(`${EXPECTED}, and the document is no mapping`)
  const images = 'images' in document ? document['images'] : document
  if (!isRecord(images)) throw new Error(`${EXPECTED}, and \`images\` is no mapping`)
  return checkImageMap(
    Object.fromEntries(
      Object.entries(images).map(([name, value]) => [name, located(shorthand(value), folder)]),
    ),
  )
}

const EXPECTED =
  'an image map says what images mean, by pattern: `images: { "memcached:*": { command: [memcached] } }`'

/** `etcd --name x` and `[etcd, --name, x]` are commands. */
function shorthand(value: unknown): unknown {
  if (typeof value === 'string') return { command: value.split(/\s+/).filter(Boolean) }
  return Array.isArray(value) ? { command: value } : value
}

/** Paths that begin with a dot are seen from the folder that the map lies in. */
function located(program: unknown, folder: string | undefined): unknown {
  if (folder === undefined || !isRecord(program)) return program
  const at = (it: unknown): unknown =>
    typeof it === 'string' && /^\.\.?(\/|$)/.test(it) ? resolve(folder, it) : it
  const { root, files } = program
  return {
    ...program,
    ...(root !== undefined && { root: at(root) }),
    ...(Array.isArray(files) && { files: files.map(at) }),
  }
}

/** The map itself, if it is one. Throws a sentence about the first thing in it that cannot be. */
export function checkImageMap(map: unknown): ImageMap {
  if (!isRecord(map)) throw new TypeError(`images must be an object: ${EXPECTED}`)
  for (const [pattern, program] of Object.entries(map)) checkProgram(pattern, program)
  return map as ImageMap
}

function checkProgram(pattern: string, program: unknown): void {
  const where = `the image map's entry ${JSON.stringify(pattern)}`
  if (!isRecord(program))
    throw new TypeError(`${where} must be an object, such as { command: ['memcached'] }`)
  for (const [name, value] of Object.entries(program)) {
    const expected = FIELDS[name as keyof ImageProgram]
    if (!expected)
      throw new TypeError(
        `${where} has a field ${JSON.stringify(name)}: it takes ${Object.keys(FIELDS).join(', ')}`,
      )
    const [what, holds] = expected
    if (!holds(value)) throw new TypeError(`${where}: ${name} must be ${what}`)
  }
}

type Field = readonly [what: string, holds: (value: unknown) => boolean]

const isText = (it: unknown): boolean => typeof it === 'string' && it !== ''
const isPath = (it: unknown): boolean => isText(it) && (it as string).startsWith('/')
const TEXTS: Field = [
  'a list of texts',
  (it) => Array.isArray(it) && it.every((one) => typeof one === 'string'),
]

const FIELDS: Readonly<Record<keyof ImageProgram, Field>> = {
  command: ['a list of texts, the program first', (it) => TEXTS[1](it) && (it as []).length > 0],
  args: TEXTS,
  env: ['a mapping of texts', (it) => isRecord(it) && Object.values(it).every(isTextOrEmpty)],
  workingDir: ['an absolute path', isPath],
  user: ['a name or number of a user, or user:group', isText],
  root: ['the absolute path of a folder', isPath],
  programs: [
    'a mapping of absolute paths to absolute paths',
    (it) => isRecord(it) && Object.entries(it).every((pair) => pair.every(isPath)),
  ],
  files: ['a list of absolute paths', (it) => Array.isArray(it) && it.every((one) => isPath(one))],
}

const isTextOrEmpty = (it: unknown): boolean => typeof it === 'string'

function isRecord(it: unknown): it is Readonly<Record<string, unknown>> {
  return typeof it === 'object' && it !== null && !Array.isArray(it)
}
