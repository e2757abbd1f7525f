import { fullImageName } from '../../container/image.ts'

/** What an image name means on this machine: a program of the machine's own, or a folder with an unpacked image. */
export interface ImageProgram {
  /** The entry point, which a container's `command` replaces. Default: none. */
  readonly command?: readonly string[]
  /** Its arguments, which a container's `command` or `args` replace; `$(POD_IP)` and the container's variables are expanded. */
  readonly args?: readonly string[]
  /** Variables that the image brings; the container's come before them. */
  readonly env?: Readonly<Record<string, string>>
  /** Where the program begins. Default `/`, without a mount namespace the container's own folder. */
  readonly workingDir?: string
  /** As whom it runs unless the pod says otherwise: a name or number of the machine, or of the image's own /etc/passwd; `user:group` too. */
  readonly user?: string
  /** A folder that becomes the container's root; what it changes there is gone with it. Default: the machine's own programs. */
  readonly root?: string
  /** Programs that the image has elsewhere than this machine: `{ '/usr/local/bin/etcd': '/usr/bin/etcd' }`. */
  readonly programs?: Readonly<Record<string, string>>
  /** Files and folders of this machine, besides its programs, that the container sees at the same path, read-only. */
  readonly files?: readonly string[]
}

/** What images mean, by pattern; the first pattern that fits counts. */
export type ImageMap = Readonly<Record<string, ImageProgram>>

/**
 * What an image means. A pattern is an image name as a pod may write it; `*` stands for anything but a slash, `**` for anything. A
 * pattern without a tag fits every tag and digest, one without a registry Docker Hub's images too. Undefined where none fits.
 */
export function findImage(map: ImageMap, image: string): ImageProgram | undefined {
  const names = namesOf(image)
  const found = Object.keys(map).find((pattern) => names.some((it) => fits(pattern, it)))
  return found === undefined ? undefined : map[found]
}

/** The ways in which one image may be written: `memcached:1`, `library/memcached:1`, `docker.io/library/memcached:1`. */
function namesOf(image: string): readonly string[] {
  const full = fullImageName(image)
  const short = full.replace(/^docker\.io\//, '')
  return [...new Set([image, full, short, short.replace(/^library\//, '')])]
}

function fits(pattern: string, name: string): boolean {
  if (matches(pattern, name)) return true
  return !hasTag(pattern) && matches(pattern, withoutTag(name))
}

const hasTag = (name: string): boolean => /[:@]/.test(name.slice(name.lastIndexOf('/') + 1))

const withoutTag = (name: string): string => name.replace(/@.*$/, '').replace(/:[^:/]*$/, '')

function matches(pattern: string, name: string): boolean {
  const source = pattern
    .split(/(\*+)/)
    .map((part) => (part === '*' ? '[^/]*' : part.startsWith('*') ? '.*' : escaped(part)))
  return new RegExp(`^${source.join('')}$`).test(name)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Why a pod whose image the map does not name is not started. */
export const unknownImage = (image: string): string =>
  `the image map of this node does not name "${image}", and nothing runs here that it does not name: add an entry for it`
