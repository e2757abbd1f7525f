/** The Kubernetes release that this server answers like. */
export const KUBERNETES = { major: '1', minor: '36', patch: '3' } as const

/** The body of `/version` (version.Info). */
export const versionInfo: Readonly<Record<string, string>> = Object.freeze({
  major: KUBERNETES.major,
  minor: KUBERNETES.minor,
  emulationMajor: KUBERNETES.major,
  emulationMinor: KUBERNETES.minor,
  minCompatibilityMajor: KUBERNETES.major,
  minCompatibilityMinor: String(Number(KUBERNETES.minor) - 1),
  gitVersion: `v${KUBERNETES.major}.${KUBERNETES.minor}.${KUBERNETES.patch}+kubewright`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: 'linux/amd64',
})
