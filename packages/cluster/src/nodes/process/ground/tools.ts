import { findProgram } from './find-program.ts'
import type { Tools } from './launch-script.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** In which package (of Debian) a program is that is not on every machine. */
const PACKAGES: Readonly<Record<string, string>> = {
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'util-linux',
  setpriv: 'util-linux',
  ip: 'iproute2',
}

/** Finds what it takes to make namespaces. Throws a sentence that names what is missing, and where it is had. */
export function findTools(): Tools {
  const missing = Object.keys(PACKAGES).filter((it) => !find(it))
  if (missing.length > 0)
    throw new Error(
      `namespaces for pods need ${missing.map((it) => `${it} (of ${PACKAGES[it]})`).join(' and ')}, which this machine does not have: ` +
        `install that, or give pods loopback addresses with podNetwork: 'loopback' (--pod-network loopback)`,
    )
  const tool = (name: string): string => find(name) ?? name
  return {
    mount: tool('mount'),
    mkdir: tool('mkdir'),
    touch: tool('touch'),
    cp: tool('cp'),
    chmod: tool('chmod'),
    unshare: tool('unshare'),
    setpriv: tool('setpriv'),
  }
}

const find = (name: string): string | undefined => findProgram(name, PATH, '/')
