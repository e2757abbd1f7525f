/**
 * The fields that a JSON text gives more than once, as paths (`data.a`, `spec.containers[0].name`), in order, each said once.
 * JSON.parse takes the last of them in silence; Kubernetes warns (sigs.k8s.io/json UnmarshalStrict). The text must be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  const found = new Set<string>()
  new Scanner(text, found, NONE).value('')
  return [...found]
}

/**
 * The fields that a JSON text gives more than once and those that its kind does not know, as paths, in one order: that of the text.
 * Inside of an unknown field, and of it, nothing more is said (sigs.k8s.io/json UnmarshalStrict).
 */
export function duplicateAndUnknown(
  text: string,
  unknown: ReadonlySet<string>,
): readonly { readonly path: string; readonly problem: 'duplicate' | 'unknown' }[] {
  const found = new Set<string>()
  new Scanner(text, found, unknown).value('')
  return [...found].map((path) => ({ path, problem: unknown.has(path) ? 'unknown' : 'duplicate' }))
}

const NONE: ReadonlySet<string> = new Set()

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c

class Scanner {
  readonly #text: string
  readonly #unknown: ReadonlySet<string>
  #found: Set<string>
  #at = 0

  constructor(text: string, found: Set<string>, unknown: ReadonlySet<string>) {
    this.#text = text
    this.#found = found
    this.#unknown = unknown
  }

  value(path: string): void {
    const code = this.#peek()
    if (code === OPEN_OBJECT) this.#object(path)
    else if (code === OPEN_ARRAY) this.#array(path)
    else if (code === QUOTE) this.#skipString()
    else this.#skipScalar()
  }

  #object(path: string): void {
    const seen = new Set<string>()
    this.#at++
    while (this.#peek() !== CLOSE_OBJECT) {
      if (this.#peek() === COMMA) this.#at++
      this.#peek()
      const key = this.#key()
      const inside = path === '' ? key : `${path}.${key}`
      const isUnknown = this.#unknown.has(inside)
      if (isUnknown || seen.has(key)) this.#found.add(inside)
      seen.add(key)
      this.#peek()
      this.#at++
      if (isUnknown) this.#silently(inside)
      else this.value(inside)
    }
    this.#at++
  }

  #silently(path: string): void {
    const found = this.#found
    this.#found = new Set()
    this.value(path)
    this.#found = found
  }

  #array(path: string): void {
    this.#at++
    for (let i = 0; this.#peek() !== CLOSE_ARRAY; i++) {
      if (this.#peek() === COMMA) this.#at++
      this.value(`${path}[${i}]`)
    }
    this.#at++
  }

  #key(): string {
    const start = this.#at
    this.#skipString()
    const raw = this.#text.slice(start, this.#at)
    return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
  }

  #skipString(): void {
    let end = this.#text.indexOf('"', this.#at + 1)
    while (this.#escaped(end)) end = this.#text.indexOf('"', end + 1)
    this.#at = end + 1
  }

  #escaped(at: number): boolean {
    let slashes = 0
    while (this.#text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    return slashes % 2 === 1
  }

  #skipScalar(): void {
    while (this.#at < this.#text.length && !/[,\]}\s]/.test(this.#text[this.#at]!)) this.#at++
  }

  /** The next code unit that is not white space. */
  #peek(): number {
    let code = this.#text.charCodeAt(this.#at)
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = this.#text.charCodeAt(++this.#at)
    }
    return code
  }
}
