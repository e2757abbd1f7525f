import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { oneLine } from '../suites/junit.ts'
import type { Result } from '../suites/suite.ts'
import { LATE } from './play.ts'

/** What was seen, by the names of the cases, in their order. */
export type Answers = ReadonlyMap<string, string>

const fileOf = (suite: string): string =>
  fileURLToPath(new URL(path.posix.join('answers', `${suite}.txt`), import.meta.url))

/** Keeps what was seen on a real cluster. */
export const keepAnswers = (suite: string, answers: Answers): Promise<void> =>
  writeFile(fileOf(suite), answersText(answers))

/** What was seen on a real cluster. */
export const keptAnswers = async (suite: string): Promise<Answers> =>
  answersIn(await readFile(fileOf(suite), 'utf8').catch(() => ''))

/** Answers as they are kept: `=== name` heads each. */
export const answersText = (answers: Answers): string =>
  [...answers].map(([name, text]) => `=== ${name}\n${text}\n`).join('\n')

/** The answers in a text of {@link answersText}. */
export function answersIn(text: string): Answers {
  const parts = text.split(/^=== (.*)$/m)
  const found = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) found.set(parts[at]!, parts[at + 1]!.trim())
  return found
}

/** Whether an answer is the one that was kept, and where it first differs. */
export function compared(name: string, answer: string, kept: string | undefined): Result {
  if (kept === undefined) return { name, outcome: 'failed', reason: 'no answer is recorded' }
  if (answer.endsWith(LATE)) return { name, outcome: 'failed', reason: LATE }
  if (/ failed: /.test(answer.split('\n')[1] ?? ''))
    return { name, outcome: 'failed', reason: oneLine(answer.split('\n')[1]!) }
  const [ours, theirs] = [answer.trim().split('\n'), kept.split('\n')]
  const at = theirs.findIndex((it, line) => it !== ours[line])
  if (at < 0 && ours.length === theirs.length) return { name, outcome: 'passed' }
  const line = at < 0 ? theirs.length : at
  const reason = `"${ours[line]?.trim() ?? 'the end'}" and not "${theirs[line]?.trim() ?? 'the end'}"`
  return { name, outcome: 'failed', reason: oneLine(reason) }
}
