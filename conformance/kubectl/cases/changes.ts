import type { Case } from '../case.ts'
import { given } from '../case.ts'

const list = (name: string, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

const service = (...ports: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'desk' },
  spec: { selector: { app: 'desk' }, ports },
})

const apply = (who: string, object: object, more = ''): string =>
  `kubectl apply --server-side --field-manager=${who} ${more} ${given(object)}`

/** Patches of every kind, apply on both sides, replace, edit, diff. */
export const CHANGES: readonly Case[] = [
  {
    name: 'a strategic patch of containers',
    run: `kubectl patch deployment front -p '{"spec":{"template":{"spec":{"containers":[{"name":"httpd","args":["-v"]},{"name":"logs","image":"busybox"}]}}}}' && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers}'`,
  },
  {
    name: 'a strategic patch that takes away',
    run: `kubectl patch deployment front -p '{"spec":{"template":{"spec":{"containers":[{"name":"logs","$patch":"delete"}]}}}}' && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers[*].name}'`,
  },
  {
    name: 'a merge patch',
    run: `kubectl patch configmap settings --type=merge -p '{"data":{"size":null,"shape":"round"}}' -o jsonpath='{.data}'`,
  },
  {
    name: 'a JSON patch',
    run: `kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/shape","value":"round"},{"op":"copy","from":"/data/shape","path":"/data/form"},{"op":"remove","path":"/data/shape"}]' -o jsonpath='{.data}'`,
  },
  {
    name: 'a JSON patch whose test fails',
    run: `kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/form","value":"square"}]'`,
  },
  {
    name: 'a JSON patch of nothing',
    run: `kubectl patch configmap settings --type=json -p '[{"op":"remove","path":"/data/weight"}]'`,
  },
  {
    name: 'a patch of the status',
    run: `kubectl patch deployment front --subresource=status --type=merge -p '{"status":{"observedGeneration":77}}' -o name`,
  },
  {
    name: 'a patch of a field that is none',
    run: `kubectl patch deployment front --type=merge -p '{"spec":{"colour":1}}'`,
  },
  {
    name: 'a patch of a selector',
    run: `kubectl patch deployment front --type=merge -p '{"spec":{"selector":{"matchLabels":{"app":"back"}}}}'`,
  },
  {
    name: 'apply twice',
    run: `kubectl apply ${given(list('menu', { soup: '1', bread: '2' }))}kubectl apply ${given(list('menu', { soup: '1', cake: '3' }))}kubectl get configmap menu -o yaml`,
  },
  { name: 'what was applied last', run: 'kubectl apply view-last-applied configmap menu' },
  {
    name: 'apply on the server',
    run: `${apply('cook', list('plan', { monday: 'rice' }))}kubectl get configmap plan -o yaml --show-managed-fields`,
  },
  {
    name: 'apply what somebody else owns',
    run: apply('waiter', list('plan', { monday: 'pasta' })),
  },
  {
    name: 'apply it by force',
    run: `${apply('waiter', list('plan', { monday: 'pasta' }), '--force-conflicts')}kubectl get configmap plan -o yaml --show-managed-fields`,
  },
  {
    name: 'apply what is kept by name',
    run: `${apply('cook', service({ port: 1, name: 'a' }, { port: 2, name: 'b' }))}${apply('cook', service({ port: 2, name: 'b' }))}kubectl get service desk -o yaml --show-managed-fields`,
  },
  {
    name: 'share a field and give it up',
    run: `${apply('one', list('both', { x: '1' }))}${apply('two', list('both', { x: '1', y: '2' }))}${apply('one', list('both', {}))}kubectl get configmap both -o yaml --show-managed-fields`,
  },
  {
    name: 'what would change',
    run: `kubectl diff ${given(list('menu', { soup: '9' }), "| grep '^[-+] ' ")}`,
  },
  {
    name: 'what would change on the server',
    run: `kubectl diff --server-side --force-conflicts ${given(list('plan', { monday: 'eggs' }), "| grep '^[-+] ' ")}`,
  },
  {
    name: 'replace',
    run: `kubectl get configmap menu -o json | sed 's/"soup": "1"/"soup": "55"/' | kubectl replace -f - && kubectl get configmap menu -o jsonpath='{.data}'`,
  },
  {
    name: 'replace what has changed since',
    run: `kubectl get configmap menu -o json | sed 's/"resourceVersion": "[0-9]*"/"resourceVersion": "1"/' | kubectl replace -f -`,
  },
  {
    name: 'replace by force',
    run: 'kubectl get configmap menu -o json | kubectl replace --force -f -',
  },
  {
    name: 'edit',
    run: "KUBE_EDITOR='sed -i /soup/s/55/66/' kubectl edit configmap menu && kubectl get configmap menu -o jsonpath='{.data.soup}'",
  },
  {
    name: 'kustomize',
    run: "kubectl apply -k kit && kubectl get configmaps -l kit=yes -o jsonpath='{.items[*].metadata.name}'",
  },
  {
    name: 'prune',
    run: 'for it in two one; do kubectl apply -l crop=yes --prune --prune-allowlist=core/v1/ConfigMap -f crop-$it.yaml; done',
  },
  {
    name: 'wait',
    run: "kubectl wait --for=jsonpath='{.data.monday}'=pasta configmap/plan --timeout=5s; kubectl wait --for=delete configmap/nobody --timeout=5s; kubectl wait --for=condition=Available deployment/front --timeout=1s",
  },
]
