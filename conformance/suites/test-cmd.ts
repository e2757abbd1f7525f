import {
  access,
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
} from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildReference, KUBERNETES, moduleFolder, referenceFolder } from '../reference/build.ts'
import { runProgram } from './command.ts'
import { oneLine } from './junit.ts'
import type { Result, Suite } from './suite.ts'

const SCRIPT = fileURLToPath(new URL('../test-cmd/run.sh', import.meta.url))

/** The flags that upstream's runner gives its own server (hack/make-rules/test-cmd.sh). */
const FLAGS = [
  '--authorization-mode=RBAC,AlwaysAllow',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--enable-admission-plugins=LimitRanger,ResourceQuota',
  '--disable-admission-plugins=ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,StorageObjectInUseProtection',
  '--runtime-config=api/v1',
]

/** Upstream's kubectl command tests (test/cmd), each function of which is a test. */
export const TEST_CMD: Suite = {
  name: 'test-cmd',
  about: "upstream's kubectl command tests, a function a test",
  versions: { Kubernetes: KUBERNETES },
  run: async ({ start, folder, only, say }) => {
    const bin = await buildReference(['kubectl', 'kubectl-convert'])
    const source = await writableSource(bin)
    const data = path.join(source, 'hack/testdata/ca')
    const authority = { certificate: path.join(data, 'ca.crt'), key: path.join(data, 'ca.key') }
    const { url } = await start({ controllers: true, nodes: 0, flags: FLAGS, authority })
    const log = path.join(folder, 'run.log')
    say(`${log} tells how it goes`)
    const { all } = await runProgram('bash', [SCRIPT], {
      env: { KUBERNETES: source, SERVER: url, OUT: folder, WHAT: only.map(shortName).join(' ') },
      log,
      timeout: 3 * 3_600_000,
    })
    return resultsOf(all)
  },
}

/** `run_x_tests` by the name that upstream's runner takes. */
const shortName = (name: string): string => name.replace(/^run_|_tests$/g, '')

/** A copy of Kubernetes' source that may be written to, with the programs where the tests look for them. */
async function writableSource(bin: string): Promise<string> {
  const folder = path.join(referenceFolder(), 'kubernetes-source')
  const there = await access(path.join(folder, 'test')).then(
    () => true,
    () => false,
  )
  if (!there) {
    await cp(await moduleFolder(`k8s.io/kubernetes@${KUBERNETES}`), folder, { recursive: true })
    await runProgram('chmod', ['-R', 'u+w', folder])
    for (const part of ['hack', 'test', 'third_party'])
      await makeExecutable(path.join(folder, part))
  }
  const programs = path.join(folder, '_output', 'bin')
  await mkdir(programs, { recursive: true })
  for (const it of ['kubectl', 'kubectl-convert'])
    await link(path.join(bin, it), path.join(programs, it))
  return folder
}

/** A link to a program, which another run may be running through it. */
async function link(target: string, file: string): Promise<void> {
  if ((await readlink(file).catch(() => '')) === target) return
  await rm(file, { force: true })
  await symlink(target, file)
}

/** Module zips carry no exec bits. */
async function makeExecutable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const text = await readFile(file)
    if (text.subarray(0, 2).toString() === '#!') await chmod(file, 0o755)
  }
}

/** What the run's log tells of each function: it is recorded, and there is an error after it or not. */
export function resultsOf(log: string): readonly Result[] {
  const results: Result[] = []
  const parts = log.split(/^Recording: (\w+)$/m)
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const [name, text] = [parts[at]!, parts[at + 1]!]
    if (name === 'record_command_canary') continue
    const error = text.indexOf(`Error when running ${name}`)
    if (error < 0) results.push({ name, outcome: 'passed' })
    else results.push({ name, outcome: 'failed', reason: reasonIn(text.slice(0, error)) })
  }
  return results
}

/** The line that says what was not as expected, else the last one that is no trace. */
function reasonIn(text: string): string {
  const lines = text
    .split('\n')
    .map((it) => oneLine(it))
    .filter((it) => it !== '' && !/^\+\+\+|^!!!/.test(it))
  const telling = lines.findLast((it) =>
    /FAIL|rror|nexpected|not found|Expected|Unable to/.test(it),
  )
  return telling ?? lines.at(-1) ?? 'no output'
}
