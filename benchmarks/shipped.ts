import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packAll } from '../tools/pack.ts'

const exec = promisify(execFile)

/** The packages as their users get them: packed, and installed by npm into a folder of their own. */
export interface Shipped {
  /** The `kubewright` command. */
  readonly bin: string
  /** A script that times control planes inside its own process. */
  readonly inProcess: string
  remove(): Promise<void>
}

/** Packs and installs; it is what ships that is measured, not the sources. */
export async function installShipped(): Promise<Shipped> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kubewright-bench-'))
  const tarballs = await packAll(path.join(folder, 'tarballs'))
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await exec('npm', ['install', '--no-audit', '--no-fund', ...tarballs], { cwd: folder })
  for (const name of ['in-process-child.ts', 'table.ts']) {
    await copyFile(fileURLToPath(new URL(name, import.meta.url)), path.join(folder, name))
  }
  return {
    bin: path.join(folder, 'node_modules', '@kubewright', 'cli', 'bin', 'kubewright.mjs'),
    inProcess: path.join(folder, 'in-process-child.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
