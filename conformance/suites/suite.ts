import type { Maker, ServerName, Target, TargetNeeds } from './target.ts'

/** What became of one test. */
export interface Result {
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was left out, in one line. */
  readonly reason?: string
}

/** What a suite runs with. */
export interface SuiteContext {
  readonly server: ServerName
  /** Whose controllers, scheduler and nodes work for it, where a suite asks for some. */
  readonly controllers: Maker
  /**
   * Starts the server under test, or takes the one of `--kubeconfig`; the runner ends it where the suite has not. `name`: the folder
   * below `folder` for its files and logs; default `server`.
   */
  readonly start: (needs: TargetNeeds, name?: string) => Promise<Target>
  /** A folder for logs and reports, absolute; it stays. */
  readonly folder: string
  /** Only tests of which the name holds one of these, where there are any. */
  readonly only: readonly string[]
  /** The folder of a suite that lies outside: `--from`. */
  readonly from: string | undefined
  /** Says how it goes, on standard error. */
  readonly say: (text: string) => void
}

/** A suite: its name, what it is in one line, and how it is run. */
export interface Suite {
  readonly name: string
  readonly about: string
  /** What it is a release of: `{ 'controller-runtime': 'v0.25.2' }`. */
  readonly versions: Readonly<Record<string, string>>
  readonly run: (context: SuiteContext) => Promise<readonly Result[]>
}

/** Whether a test is wanted. */
export const wanted = (only: readonly string[], name: string): boolean =>
  only.length === 0 || only.some((it) => name.includes(it))
