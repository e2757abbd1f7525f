/**
 * What a client calls itself: `kubewright (linux/x64) node/26.12.1`, or with the name of a program in the first place. An API server's
 * audit log and its flow schemas show it.
 */
export function userAgentOf(program: string = 'kubewright'): string {
  const { platform, arch, versions } = process
  return `${program} (${platform}/${arch}) node/${versions.node}`
}
