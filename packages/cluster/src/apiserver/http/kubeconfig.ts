/** A kubeconfig of one cluster and one user, as YAML; `authority` in PEM. */
export function kubeconfigText(server: string, authority: string, token: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: kubewright',
    '  cluster:',
    `    server: ${server}`,
    `    certificate-authority-data: ${Buffer.from(authority).toString('base64')}`,
    'users:',
    '- name: admin',
    '  user:',
    `    token: ${token}`,
    'contexts:',
    '- name: kubewright',
    '  context:',
    '    cluster: kubewright',
    '    user: admin',
    'current-context: kubewright',
    '',
  ].join('\n')
}
