import { join } from 'node:path'
import { limitFlags } from './capabilities.ts'
import type { LaunchSpec, Mount } from './ground.ts'
import { quoted } from './tty.ts'

/** Where the programs lie with which a container's root is made. */
export interface Tools {
  readonly mount: string
  readonly mkdir: string
  readonly touch: string
  readonly cp: string
  readonly chmod: string
  readonly unshare: string
  readonly setpriv: string
}

/** A mount as the script makes it: its place in the container has no links left to follow. */
export interface PlannedMount extends Mount {
  readonly isFolder: boolean
}

/** All that the script depends on. */
export interface ScriptPlan {
  readonly spec: LaunchSpec
  readonly tools: Tools
  readonly mounts: readonly PlannedMount[]
  /** Folders of the machine that a container sees a copy of, and links at its root; of an image with a root of its own there are none. */
  readonly folders: readonly string[]
  readonly links: readonly string[]
  /** Where it begins: a path in the container, that is made where it is not there. */
  readonly workingDir: string
  /** A folder with the devices that containers have. */
  readonly devices: string
  /** Whether root here is root of the machine. */
  readonly isRoot: boolean
}

/** The first words of the script's answer when the program is about to run, and when there is none. */
export const READY = 'ready'
export const MISSING = 'missing'

/**
 * What the first process of a container does before it becomes the container's program, as a POSIX shell reads it. It is alone in its
 * mount and process namespaces. It makes the root, mounts what belongs there, and says on descriptor 3 how that went and which number it has.
 */
export function launchScript(plan: ScriptPlan): string {
  const { spec, tools } = plan
  const [program] = spec.argv
  return [
    'set -eu',
    'exec 4>&2 2>&3',
    'read -r pid rest < /proc/self/stat',
    ...rootLines(plan),
    ...plan.mounts.flatMap((it) => mountLines(it, plan)),
    `${tools.mkdir} -p ${quoted(`.${plan.workingDir}`)} 2>/dev/null || true`,
    ...(spec.security.readOnlyRoot ? readOnlyLines(plan) : []),
    ...findLines(program),
    `echo "${READY} $pid" >&3`,
    `exec 2>&4 3>&- 4>&-`,
    `exec ${[...entering(plan), ...spec.argv].map(quoted).join(' ')}`,
  ].join('\n')
}

/** What makes the first process the container's: its limits and groups, then its root, its folder and its user. */
function entering({ spec, tools, workingDir }: ScriptPlan): readonly string[] {
  const { uid, gid, groups } = spec.identity
  const isPlainRoot = uid === 0 && gid === 0 && groups.length === 0
  return [
    tools.setpriv,
    ...limitFlags(spec.security),
    ...(isPlainRoot ? [] : [`--regid=${gid}`, `--groups=${[...groups, gid].join(',')}`]),
    tools.unshare,
    '--root=.',
    `--wd=${workingDir}`,
    ...(uid === 0 ? [] : [`--setuid=${uid}`]),
    '--',
  ]
}

function rootLines({
  spec,
  tools,
  folders,
  links,
  devices,
  isRoot,
}: ScriptPlan): readonly string[] {
  const { mount, mkdir, cp, chmod } = tools
  const base = quoted(spec.folder)
  const xattr = isRoot ? '' : ',userxattr'
  const overlay = (lower: string, to: string, name: string): string => {
    const layers = `$base/${name}`
    return [
      `${mkdir} -p "${layers}/upper" "${layers}/work" ${quoted(`.${to}`)}`,
      `${mount} -t overlay overlay -o ${quoted(`lowerdir=${lower}`)}",upperdir=${layers}/upper,workdir=${layers}/work${xattr}" ${quoted(`.${to}`)}`,
    ].join('\n')
  }
  const whole = spec.image.root
  return [
    `base=${base}`,
    `${mount} -t tmpfs -o mode=755 kubewright "$base"`,
    `${mkdir} "$base/rootfs"`,
    'cd "$base/rootfs"',
    ...(whole === undefined
      ? [
          ...folders.map((it) => overlay(it, it, `layer${it.replaceAll('/', '-')}`)),
          ...links.map((it) => `${cp} -d ${quoted(it)} ${quoted(`.${it}`)}`),
        ]
      : [overlay(whole, '/', 'layer'), 'cd "$base/rootfs"']),
    `${mkdir} -p proc dev sys tmp run/lock root home var/tmp`,
    // An image's own belong to somebody else where the cluster is root of itself alone.
    `${chmod} 1777 tmp var/tmp 2>/dev/null || true`,
    ...(whole === undefined ? [`${mount} -t tmpfs -o mode=1777 tmp var/tmp`] : []),
    `${mount} -t proc proc proc`,
    `${mount} -t sysfs -o ro sysfs sys 2>/dev/null || true`,
    `${mount} --rbind ${quoted(devices)} dev`,
    `${mount} -t tmpfs -o mode=1777,nosuid,nodev shm dev/shm`,
  ]
}

function mountLines(
  { from, to, readOnly, isFolder }: PlannedMount,
  { tools: { mount, mkdir, touch } }: ScriptPlan,
): readonly string[] {
  const place = quoted(`.${to}`)
  const parent = quoted(join('.', to, '..'))
  const make = isFolder
    ? `${mkdir} -p ${place}`
    : `${mkdir} -p ${parent}; [ -e ${place} ] || ${touch} ${place}`
  return [
    make,
    `${mount} --rbind ${quoted(from)} ${place}`,
    ...(readOnly ? [`${mount} -o remount,bind,ro ${place}`] : []),
  ]
}

const readOnlyLines = ({ tools: { mount }, folders, spec }: ScriptPlan): readonly string[] => [
  ...(spec.image.root === undefined
    ? folders.map((it) => `${mount} -o remount,ro ${quoted(`.${it}`)}`)
    : []),
  ...(spec.image.root === undefined
    ? [`${mount} -o remount,ro "$base"`]
    : [`${mount} -o remount,ro .`]),
]

/** Looks for the program where the container would, before anything is left to say so. */
function findLines(program: string): readonly string[] {
  const found = (path: string): string => `{ [ -x ${path} ] || [ -L ${path} ]; }`
  const no = `{ echo ${MISSING} >&3; exit 128; }`
  if (program.includes('/')) return [`${found(quoted(`./${program}`))} || ${no}`]
  return [
    'found=',
    `IFS=:; for folder in $PATH; do if ${found(`"./$folder/"${quoted(program)}`)}; then found=1; break; fi; done; unset IFS`,
    `[ -n "$found" ] || ${no}`,
  ]
}
