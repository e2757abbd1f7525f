import path from 'node:path'

/** The programs whose place is taken. */
export type DropIn = 'kube-apiserver' | 'etcd'

/** What a launcher needs to know. Paths are absolute. */
export interface LauncherOptions {
  readonly program: DropIn
  /** The folder that the launcher will lie in. */
  readonly folder: string
  /** The Node that runs it. */
  readonly node: string
  /** The module that it starts. */
  readonly module: string
  /** What `--help` prints. */
  readonly help: string
  /** What `--version` prints. */
  readonly version: string
}

/** By this a file is known to be ours, and may be written over. */
export const MARK = '# Written by `kubewright assets`'

/**
 * The text of an executable that starts a drop-in. A test suite asks each program for its help before every start, so that and the
 * version are answered by the shell itself, in a millisecond. Node and the module are looked for beside the launcher first, so that
 * a project that was moved as a whole keeps working, and then where they were; it says what to do where neither is there.
 */
export function launcherText({
  program,
  folder,
  node,
  module,
  help,
  version,
}: LauncherOptions): string {
  return `#!/bin/sh
${MARK}: ${program}, answered by kubewright.
case "$#:\${1:-}" in
1:--help | 1:-h)
  cat <<'END_OF_HELP'
${help.trimEnd()}
END_OF_HELP
  exit 0
  ;;
1:--version)
  cat <<'END_OF_VERSION'
${version.trimEnd()}
END_OF_VERSION
  exit 0
  ;;
esac
here=\${0%/*}
[ "$here" != "$0" ] || here=.
module="$here"/${quoted(path.relative(folder, module))}
[ -f "$module" ] || module=${quoted(module)}
if [ ! -f "$module" ]; then
  echo "${program}: kubewright is no longer at $module; run \\\`kubewright assets\\\` for this folder again" >&2
  exit 1
fi
node="$here"/${quoted(path.relative(folder, node))}
[ -x "$node" ] || node=${quoted(node)}
[ -x "$node" ] || node=node
exec "$node" ${SERVER_FLAGS} "$module" ${program} "$@"
`
}

/** How large the nursery may grow, in MiB: an idle server keeps no more with it, and a busy one a fifth less than with a smaller one. */
const SERVER_FLAGS = '--max-semi-space-size=16 --disable-warning=ExperimentalWarning'

/** A word that the shell takes as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
