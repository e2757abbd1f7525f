import { watch, type FSWatcher } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Manager, Running } from 'kubewright'
import { Failure } from './failure.ts'
import { reasonOf } from './generate/load-app.ts'

/** An operator's sources, which can be loaded again and again. */
export interface Reloadable {
  /** The manager that src/app.ts exports, of the files as they are now. */
  load(): Promise<Manager>
  /** Loads anew whatever changes below src, and gives it to a running manager; what does not load is told of, and changes nothing. */
  follow(running: Running): void
  close(): void
}

/** How long a burst of changes may last that is one for an editor, ms. */
const BURST = 100

/**
 * Makes the sources of a project loadable anew: every file below its src is a new module each time, while packages stay what they are, so
 * that the new manager works with the caches of the running one.
 */
export function reloadable(root: string, say: (text: string) => void = console.error): Reloadable {
  const folder = path.join(root, 'src')
  const prefix = `${pathToFileURL(folder).href}/`
  let version = 0
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      return found.url.startsWith(prefix)
        ? { ...found, url: `${found.url.split('?')[0]}?v=${version}` }
        : found
    },
  })
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  const load = async (): Promise<Manager> => {
    version++
    const file = path.join(folder, 'app.ts')
    const module = (await import(`${pathToFileURL(file).href}?v=${version}`)) as {
      readonly app?: Manager
    }
    if (typeof module.app?.describe === 'function') return module.app
    throw new Failure(`${file} exports no manager as \`app\``)
  }
  const take = async (running: Running): Promise<void> => {
    try {
      const began = performance.now()
      await running.reload(await load())
      say(`reloaded in ${Math.round(performance.now() - began)} ms`)
    } catch (error) {
      say(`not reloaded, the old code goes on: ${reasonOf(error)}`)
    }
  }
  return {
    load,
    follow(running) {
      let last = Promise.resolve()
      watcher = watch(folder, { recursive: true }, (_, name) => {
        if (!name || !/\.[cm]?[jt]s$/.test(name) || /\.test\./.test(name)) return
        clearTimeout(timer)
        timer = setTimeout(() => (last = last.then(() => take(running))), BURST)
      })
    },
    close() {
      clearTimeout(timer)
      watcher?.close()
      hooks.deregister()
    },
  }
}
