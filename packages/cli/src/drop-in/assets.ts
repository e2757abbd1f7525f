import {
  access,
  chmod,
  constants,
  mkdir,
  readFile,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { Failure, whyNot } from '../failure.ts'
import { type DropIn, launcherText, MARK } from './launcher.ts'

/** What is written into a folder of assets. */
export interface AssetsOptions {
  /** The folder, absolute; it is made. */
  readonly folder: string
  /** The Node that runs the programs. */
  readonly node: string
  /** The module that the launchers start. */
  readonly module: string
  /** A kubectl to link to, absolute; undefined where there is none. */
  readonly kubectl: string | undefined
  /** Writes over programs that are not ours. */
  readonly force: boolean
  readonly help: Readonly<Record<DropIn, string>>
  readonly version: Readonly<Record<DropIn, string>>
}

/** Writes the programs that KUBEBUILDER_ASSETS names. Throws a {@link Failure} where the folder holds programs of somebody else. */
export async function writeAssets(options: AssetsOptions): Promise<void> {
  const { folder, kubectl, force } = options
  await mkdir(folder, { recursive: true }).catch(unwritable(folder))
  for (const program of ['kube-apiserver', 'etcd'] as const) {
    const file = path.join(folder, program)
    if (!force && !(await isOurs(file)))
      throw new Failure(
        `${file} is there already and is not one that kubewright wrote: name another folder, or write over it with --force`,
      )
    const text = launcherText({
      ...options,
      program,
      help: options.help[program],
      version: options.version[program],
    })
    await unlink(file).catch(() => {})
    await writeFile(file, text).catch(unwritable(file))
    await chmod(file, 0o755)
  }
  if (kubectl !== undefined) await link(kubectl, path.join(folder, 'kubectl'))
}

const unwritable =
  (file: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new Failure(`${file} cannot be written: ${whyNot(error)}`, { cause: error })
  }

async function isOurs(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? MARK : '',
  )
  return text.slice(0, 200).includes(MARK)
}

async function link(target: string, file: string): Promise<void> {
  if (target === file) return
  await unlink(file).catch(() => {})
  await symlink(target, file).catch(unwritable(file))
}

/** The first program of a name on a path such as `$PATH`, outside of one folder; undefined where there is none. */
export async function onPath(
  name: string,
  searched: string,
  except: string,
): Promise<string | undefined> {
  for (const folder of searched.split(path.delimiter)) {
    if (folder === '' || path.resolve(folder) === except) continue
    const file = path.resolve(folder, name)
    const there = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (there) return file
  }
  return undefined
}
