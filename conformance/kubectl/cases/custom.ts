import type { Case } from '../case.ts'
import { given } from '../case.ts'

const oven = (name: string, spec: object): object => ({
  apiVersion: 'bakery.example.com/v1',
  kind: 'Oven',
  metadata: { name },
  spec,
})

const shelves = (who: string, ...items: readonly object[]): string =>
  `kubectl apply --server-side --field-manager=${who} ${given(oven('shared', { heat: 2, shelves: items }))}`

/** Kinds of one's own. */
export const CUSTOM: readonly Case[] = [
  {
    name: 'a kind of one’s own',
    run: "kubectl apply -f oven-kind.yaml && kubectl wait --for=condition=Established crd/ovens.bakery.example.com --timeout=20s && kubectl get crd ovens.bakery.example.com -o yaml | sed -n '/^status:/,$p'",
  },
  { name: 'explain it', run: 'kubectl explain oven.spec', until: /FIELDS/ },
  {
    name: 'its resource',
    run: 'kubectl api-resources --api-group=bakery.example.com -o wide',
    until: /ovens/,
  },
  {
    name: 'defaults and pruning',
    run: 'kubectl apply -f oven.yaml && kubectl get oven big -o yaml',
    until: /big/,
  },
  { name: 'its columns', run: 'kubectl get ovens; kubectl get ov -o wide --show-labels' },
  { name: 'describe it', run: 'kubectl describe oven big' },
  {
    name: 'what its schema refuses',
    run: `kubectl apply ${given(oven('bad', { heat: 99, fuel: 'Coal', tags: ['x', 'x'], since: 'noon' }))}`,
  },
  {
    name: 'what its rules refuse',
    run: `kubectl apply ${given(oven('worse', { heat: 5, limit: 4 }))}kubectl patch oven big --type=merge -p '{"spec":{"number":"2"}}'`,
  },
  {
    name: 'a field that it has not',
    run: `kubectl apply ${given(oven('odd', { heat: 1, colour: 'red' }))}`,
  },
  {
    name: 'scale and status',
    run: `kubectl scale oven big --replicas=6 && kubectl patch oven big --subresource=status --type=merge -p '{"status":{"state":"Hot","replicas":6}}' && kubectl get oven big -o jsonpath='{.spec.replicas} {.status}' && kubectl get --raw /apis/bakery.example.com/v1/namespaces/shop/ovens/big/scale`,
  },
  { name: 'its other version', run: 'kubectl get ovens.v1alpha1.bakery.example.com big -o yaml' },
  {
    name: 'its lists have owners by key',
    run: `${shelves('one', { name: 'top', trays: 1 }, { name: 'low', trays: 2 })}${shelves('two', { name: 'mid', trays: 3 })}kubectl get oven shared -o yaml --show-managed-fields`,
  },
  {
    name: 'a field selector of a kind of one’s own',
    run: 'kubectl get ovens --field-selector spec.fuel=Gas -o name; kubectl get ovens --field-selector spec.heat=2',
  },
  {
    name: 'a kind that is refused',
    run: `kubectl apply ${given({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'y.bakery.example.com' },
      spec: {
        group: 'bakery.example.com',
        scope: 'Namespaced',
        names: { plural: 'ys', kind: 'Y' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } },
          },
        ],
      },
    })}`,
  },
  {
    name: 'a policy denies',
    run: 'kubectl apply -f policy.yaml >/dev/null; kubectl create configmap banned-thing --dry-run=server',
    until: /denied/,
  },
  { name: 'a policy goes', run: 'kubectl delete -f policy.yaml' },
  {
    name: 'a kind goes with its objects',
    run: 'kubectl delete crd ovens.bakery.example.com --timeout=30s && kubectl get ovens',
  },
]
