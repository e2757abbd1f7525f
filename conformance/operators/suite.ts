import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'yaml'
import { KUBERNETES } from '../reference/build.ts'
import { kubeconfigText } from '../reference/identities.ts'
import { Processes } from '../reference/processes.ts'
import type { Suite, SuiteContext } from '../suites/suite.ts'
import { type Answers, answersText, compared, keepAnswers, keptAnswers } from './answers.ts'
import type { Case } from './case.ts'
import { type Kubectl, openKubectl } from './kubectl.ts'
import { play } from './play.ts'

/** A cluster in which an operator is to be installed. */
export interface Place {
  readonly kubectl: Kubectl
  /** The administrator's kubeconfig, a file. */
  readonly kubeconfig: string
  /** Where logs and files of the operator go. */
  readonly folder: string
  /** The operator's programs are started here. */
  readonly processes: Processes
}

/** An operator that somebody else wrote, how it is installed, and what is then asked of the cluster. */
export interface OperatorSuite {
  readonly name: string
  readonly about: string
  readonly version: string
  /** The namespace of the cases. */
  readonly namespace: string
  readonly install: (place: Place) => Promise<void>
  readonly cases: readonly Case[]
}

/**
 * A suite that runs an operator's own program against a cluster and holds what comes of its resources against what came of them on a
 * real one. `--server oracle` records that. All cases are played, whatever `--only` picks out: later ones live on earlier ones.
 */
export const operatorSuite = (operator: OperatorSuite): Suite => ({
  name: operator.name,
  about: operator.about,
  versions: { [operator.name]: operator.version, Kubernetes: KUBERNETES },
  run: async (context) => {
    const answers = await playAll(operator, context)
    await writeFile(path.join(context.folder, 'answers.txt'), answersText(answers))
    if (context.server === 'oracle' && context.only.length === 0)
      await keepAnswers(operator.name, answers)
    const kept = await keptAnswers(operator.name)
    return [...answers]
      .filter(([name]) => context.only.length === 0 || context.only.some((it) => name.includes(it)))
      .map(([name, answer]) => compared(name, answer, kept.get(name)))
  },
})

async function playAll(operator: OperatorSuite, context: SuiteContext): Promise<Answers> {
  const { folder, say } = context
  const { kubeconfig } = await context.start({ controllers: true, nodes: 2 })
  const processes = new Processes(folder)
  const kubectl = await openKubectl(
    kubeconfig,
    operator.namespace,
    path.join(folder, 'kubectl.log'),
  )
  const answers = new Map<string, string>()
  try {
    await operator.install({ kubectl, kubeconfig, folder, processes })
    say(
      `${operator.cases.length} cases; ${path.join(folder, 'answers.txt')} will have what was seen`,
    )
    for (const it of operator.cases)
      answers.set(it.name, await Promise.race([play(it, kubectl), processes.failed]))
    return answers
  } finally {
    await processes.stop()
    await kubectl.close()
  }
}

/** Writes a kubeconfig with a token of a service account, as its pod would have one; answers with its path. */
export async function accountKubeconfig(
  { kubectl, kubeconfig, folder }: Place,
  namespace: string,
  name: string,
): Promise<string> {
  const token = await kubectl.must(['create', 'token', name, `--namespace=${namespace}`])
  const { clusters } = parse(await readFile(kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[]
  }
  const { server = '', 'certificate-authority-data': authority = '' } = clusters[0]!.cluster
  const file = path.join(folder, `${name}.kubeconfig`)
  const text = kubeconfigText(server, Buffer.from(authority, 'base64').toString(), token.trim())
  await writeFile(file, text, { mode: 0o600 })
  return file
}
