import type { Case } from '../case.ts'

/** How things go. */
export const ENDINGS: readonly Case[] = [
  {
    name: 'orphans',
    run: 'kubectl delete replicaset lone --cascade=orphan && sleep 2; kubectl get pods -l app=lone --no-headers | wc -l; kubectl delete pods -l app=lone --force --grace-period=0 2>/dev/null | wc -l',
  },
  {
    name: 'from the leaves',
    run: 'kubectl delete job bake --cascade=foreground --timeout=30s && kubectl get pods -l job-name=bake --no-headers',
  },
  { name: 'a collection', run: 'kubectl delete configmaps -l kit=yes' },
  {
    name: 'a namespace with what is in it',
    run: 'kubectl create namespace annex && kubectl create configmap x -n annex && kubectl delete namespace annex --timeout=60s && kubectl get namespace annex',
  },
  {
    name: 'the namespace of all this',
    run: 'kubectl delete namespace shop --timeout=90s && kubectl get namespace shop',
  },
]
