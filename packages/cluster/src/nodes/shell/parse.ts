/** A script as far as simulated containers understand it: commands one after the other, and two kinds of loop. */
export type Statement =
  | { readonly is: 'command'; readonly after: After; readonly words: readonly Word[] }
  | { readonly is: 'forever'; readonly after: After; readonly body: readonly Statement[] }
  | {
      readonly is: 'each'
      readonly after: After
      readonly name: string
      readonly words: readonly Word[]
      readonly body: readonly Statement[]
    }

/** What stands before a statement: it runs always, only after success, or only after failure. */
export type After = ';' | '&&' | '||'

/** A word, in parts: what stood in single quotes is taken as it is, in the rest variables are replaced. */
export type Word = readonly { readonly text: string; readonly isLiteral: boolean }[]

type Token =
  { readonly is: 'word'; readonly word: Word } | { readonly is: 'end'; readonly after: After }

/** Reads a script. What follows a pipe replaces what stands before it, and redirections are left out: nothing simulated has files. */
export function parseScript(script: string): readonly Statement[] {
  const tokens = tokensOf(script)
  const [statements] = statementsOf(tokens, 0)
  return statements
}

const plain = (token: Token | undefined): string | undefined =>
  token?.is === 'word' ? token.word.map((it) => it.text).join('') : undefined

/** The statements from `start` on, up to `done` or the end, and where that is. */
function statementsOf(
  tokens: readonly Token[],
  start: number,
): readonly [readonly Statement[], number] {
  const statements: Statement[] = []
  let after: After = ';'
  let at = start
  while (at < tokens.length && plain(tokens[at]) !== 'done') {
    const token = tokens[at]!
    if (token.is === 'end') {
      after = token.after
      at++
      continue
    }
    const [statement, next] = statementAt(tokens, at, after)
    statements.push(statement)
    at = next
    after = ';'
  }
  return [statements, at]
}

function statementAt(
  tokens: readonly Token[],
  at: number,
  after: After,
): readonly [Statement, number] {
  const first = plain(tokens[at])
  const end = tokens.findIndex((it, index) => index >= at && it.is === 'end')
  const words = tokens
    .slice(at, end < 0 ? tokens.length : end)
    .flatMap((it) => (it.is === 'word' ? [it.word] : []))
  const begins = end < 0 ? -1 : tokens.findIndex((it, i) => i > end && plain(it) === 'do')
  if ((first !== 'while' && first !== 'until' && first !== 'for') || begins < 0)
    return [{ is: 'command', after, words }, end < 0 ? tokens.length : end]
  const [body, done] = statementsOf(tokens, begins + 1)
  if (first !== 'for') return [{ is: 'forever', after, body }, done + 1]
  const name = plain(tokens[at + 1]) ?? ''
  return [{ is: 'each', after, name, words: words.slice(3), body }, done + 1]
}

const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:\\.|\$\([^)]*\)|\$\{[^}]*\}|[^\s'"\\;&|<>])+)/y
const REDIRECTION = /[0-9]?(?:>{1,2}|<)(?:&[0-9]|\s*[^\s;&|]+)/y
const SEPARATOR = /&&|\|\||[;\n&]/y
const SPACE = /[^\S\n]+|\\\n/y
const COMMENT = /#[^\n]*/y

function tokensOf(script: string): readonly Token[] {
  const tokens: Token[] = []
  let word: { text: string; isLiteral: boolean }[] | undefined
  const flush = (): void => {
    if (word) tokens.push({ is: 'word', word })
    word = undefined
  }
  for (let at = 0; at < script.length;) {
    const read = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at
      const found = pattern.exec(script)
      if (found) at += found[0].length
      return found
    }
    let found: RegExpExecArray | null
    if (!word && (read(REDIRECTION) || read(COMMENT))) continue
    if ((found = read(WORD))) (word ??= []).push(partOf(found))
    else if ((found = read(SEPARATOR))) {
      flush()
      tokens.push({ is: 'end', after: afterOf(found[0]) })
    } else {
      flush()
      if (read(SPACE)) continue
      if (script[at] === '|') dropStatement(tokens)
      at++
    }
  }
  flush()
  return tokens
}

function partOf([, single, double, bare = '']: RegExpExecArray): Word[number] {
  if (single !== undefined) return { text: single, isLiteral: true }
  if (double !== undefined) return { text: double.replace(/\\(["\\$`])/g, '$1'), isLiteral: false }
  return { text: bare.replace(/\\(.)/g, '$1'), isLiteral: false }
}

const afterOf = (text: string): After => (text === '&&' || text === '||' ? text : ';')

/** Forgets what stood before a pipe. */
function dropStatement(tokens: Token[]): void {
  while (tokens.at(-1)?.is === 'word') tokens.pop()
}
