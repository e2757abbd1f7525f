import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Result, Suite } from './suites/suite.ts'
import type { Maker, ServerName } from './suites/target.ts'

const FOLDER = fileURLToPath(new URL('results', import.meta.url))

/** How many of each outcome. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Counts results by their outcome. */
export function countsOf(results: readonly Result[]): Counts {
  const of = (outcome: Result['outcome']): number =>
    results.filter((it) => it.outcome === outcome).length
  return { passed: of('passed'), failed: of('failed'), skipped: of('skipped') }
}

/**
 * A list of results as it is committed: a head with counts and versions, then a test a line, sorted by name, so that a diff of two
 * runs shows what changed. `versions` by what they are of.
 */
export function resultsText(
  title: string,
  versions: Readonly<Record<string, string>>,
  results: readonly Result[],
): string {
  const { passed, failed, skipped } = countsOf(results)
  const lines = results
    .map(({ name, outcome, reason }) => ({
      name,
      line: `${outcome} ${name}${reason ? ` (${reason})` : ''}`,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.line < b.line ? -1 : 1))
  return [
    `# ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    `# ${Object.entries(versions)
      .map(([what, version]) => `${what} ${version}`)
      .join(', ')}`,
    ...lines.map((it) => it.line),
    '',
  ].join('\n')
}

/** Whose server and whose controllers a suite was run on. */
export interface Subject {
  readonly server: ServerName
  readonly controllers: Maker
}

/** Where the results of a suite on a server are kept; whose controllers is said where they are not the server's own. */
export const resultsFile = (suite: string, subject: Subject): string =>
  path.join(
    FOLDER,
    `${suite}.${subject.server}${isMixed(subject) ? `.controllers-of-${subject.controllers}` : ''}.txt`,
  )

const isMixed = ({ server, controllers }: Subject): boolean =>
  server !== 'given' && server !== controllers

/** Writes the committed list of a run of a whole suite; answers with its path. */
export async function writeResults(
  suite: Suite,
  subject: Subject,
  results: readonly Result[],
): Promise<string> {
  const file = resultsFile(suite.name, subject)
  await mkdir(FOLDER, { recursive: true })
  const title = `${suite.name} on ${described(subject)}`
  await writeFile(file, resultsText(title, suite.versions, results))
  return file
}

function described(subject: Subject): string {
  const server = subject.server === 'oracle' ? 'kube-apiserver' : subject.server
  if (!isMixed(subject)) return server
  return `${server} with ${subject.controllers === 'oracle' ? 'kube-controller-manager, kube-scheduler and kwok' : "kubewright's controllers and nodes"}`
}
