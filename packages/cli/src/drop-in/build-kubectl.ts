import { execFile } from 'node:child_process'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '../failure.ts'

const exec = promisify(execFile)

/** The release of `k8s.io/kubectl` that belongs to the server. */
const KUBECTL = 'v0.36.3'

const MAIN = `package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
`

const MODULE = `module kubewright.dev/kubectl

go 1.26.0

require (
	k8s.io/component-base ${KUBECTL}
	k8s.io/kubectl ${KUBECTL}
)
`

/** Builds kubectl from its published Go modules, once, into the user's cache (a minute or two). Throws a {@link Failure}. */
export async function buildKubectl(go: string, say: (text: string) => void): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')
  const folder = path.join(cache, 'kubewright', `kubectl-${KUBECTL}`)
  const file = path.join(folder, 'kubectl')
  const there = await access(file).then(
    () => true,
    () => false,
  )
  if (there) return file
  say(`building kubectl from Go modules into ${folder}: this takes a minute or two, once`)
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'main.go'), MAIN)
  await writeFile(path.join(folder, 'go.mod'), MODULE)
  const flags = [
    '-s -w',
    `-X k8s.io/component-base/version.gitVersion=${KUBECTL.replace('v0', 'v1')}`,
  ]
  try {
    const run = (...args: string[]): Promise<unknown> =>
      exec(go, args, { cwd: folder, maxBuffer: 1 << 26 })
    await run('get', `k8s.io/kubectl/pkg/cmd@${KUBECTL}`, `k8s.io/component-base/cli@${KUBECTL}`)
    await run('build', '-mod=mod', '-ldflags', flags.join(' '), '-o', file, '.')
    return file
  } catch (error) {
    const told = (error as { readonly stderr?: string }).stderr ?? String(error)
    throw new Failure(
      `kubectl could not be built from Go modules: ${told.trim().split('\n').at(-1)}; install kubectl, or name one with --kubectl`,
      { cause: error },
    )
  }
}
