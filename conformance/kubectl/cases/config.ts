import type { Case } from '../case.ts'
import { given } from '../case.ts'

/** Config maps and secrets: made, shown, labelled. */
export const CONFIG: readonly Case[] = [
  {
    name: 'create a config map',
    run: 'kubectl create configmap settings --from-literal=colour=blue --from-literal=size=4 -o yaml',
  },
  { name: 'a config map as JSON', run: 'kubectl get configmap settings -o json' },
  {
    name: 'who manages its fields',
    run: 'kubectl get configmap settings -o yaml --show-managed-fields',
  },
  { name: 'describe a config map', run: 'kubectl describe configmap settings' },
  {
    name: 'a secret, dry run',
    run: 'kubectl create secret generic key --from-literal=pin=1234 --dry-run=server -o yaml',
  },
  {
    name: 'a secret',
    run: 'kubectl create secret generic key --from-literal=pin=1234 && kubectl describe secret key',
  },
  {
    name: 'an immutable secret stays as it is',
    run: `kubectl create ${given({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'fixed' },
      stringData: { a: 'b' },
      immutable: true,
    })}kubectl patch secret fixed --type=merge -p '{"stringData":{"a":"c"}}'`,
  },
  {
    name: 'a secret of a wrong shape',
    run: `kubectl create ${given({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'pull' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': 'eHl6' },
    })}`,
  },
  {
    name: 'label and select',
    run: "kubectl label configmap settings tier=front && kubectl get configmaps -l 'tier in (front,back),!zone' --show-labels",
  },
  { name: 'a label that is there', run: 'kubectl label configmap settings tier=back' },
  {
    name: 'overwrite a label, and take it away',
    run: 'kubectl label configmap settings tier=back --overwrite && kubectl label configmap settings tier-',
  },
  { name: 'a label that is none', run: "kubectl label configmap settings 'two words=x'" },
  {
    name: 'annotate',
    run: "kubectl annotate configmap settings said='good morning' && kubectl get configmap settings -o go-template='{{.metadata.annotations.said}}'",
  },
  {
    name: 'columns, sorted',
    run: 'kubectl get configmaps --sort-by=.metadata.name -o custom-columns=NAME:.metadata.name,COLOUR:.data.colour',
  },
  {
    name: 'pages',
    run: `kubectl get configmaps --chunk-size=1 -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}'`,
  },
  { name: 'watch', run: 'timeout 3 kubectl get configmap settings --watch -o name' },
  {
    name: 'a field selector',
    run: 'kubectl get configmaps --field-selector metadata.name=settings -o name',
  },
  {
    name: 'a field selector that is none',
    run: 'kubectl get configmaps --field-selector data.colour=blue',
  },
]
