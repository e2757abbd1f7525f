import type { Case } from '../case.ts'

/** What is there before anybody has made anything, and the first steps. */
export const BASICS: readonly Case[] = [
  { name: 'API versions', run: 'kubectl api-versions' },
  { name: 'resources, wide', run: 'kubectl api-resources --sort-by=name -o wide' },
  {
    name: 'resources that can be watched',
    run: 'kubectl api-resources --namespaced=false --verbs=watch,list -o name',
    sorted: true,
  },
  {
    name: 'resources of a category',
    run: 'kubectl api-resources --categories=all -o name',
    sorted: true,
  },
  { name: 'where the cluster is', run: 'kubectl cluster-info' },
  { name: 'explain a kind', run: 'kubectl explain service' },
  { name: 'explain all below a field', run: 'kubectl explain pod.spec.initContainers --recursive' },
  { name: 'explain a field', run: 'kubectl explain statefulset.spec.updateStrategy' },
  {
    name: 'explain by the older document',
    run: 'kubectl explain ingress.spec.rules --output=plaintext-openapiv2',
  },
  { name: 'explain what is not there', run: 'kubectl explain service.spec.prots' },
  { name: 'explain a version', run: 'kubectl explain hpa --api-version=autoscaling/v1' },
  { name: 'create a namespace', run: 'kubectl create namespace shop', until: /created|exists/ },
  { name: 'a namespace in a table', run: 'kubectl get namespace shop', until: /Active/ },
  { name: 'describe a namespace', run: 'kubectl describe namespace shop' },
  {
    name: 'what a namespace begins with',
    run: 'kubectl get serviceaccounts,configmaps',
    until: /kube-root-ca[^]*|serviceaccount\/default/,
  },
  { name: 'create what is there', run: 'kubectl create namespace shop' },
  { name: 'get what is not there', run: 'kubectl get configmap nobody; kubectl get nobodies' },
  {
    name: 'delete what is not there',
    run: 'kubectl delete secret nobody; kubectl delete secret nobody --ignore-not-found',
  },
  {
    name: 'describe the service of the server',
    run: 'kubectl describe service kubernetes -n default | grep -E "^(Name|Labels|Type|IP|Port|Session)"',
  },
  {
    name: 'priority classes of every cluster',
    run: 'kubectl get priorityclasses --no-headers',
  },
]
