import type { Case } from '../case.ts'

/** Nodes, storage, events, and what is no object. */
export const CLUSTER: readonly Case[] = [
  {
    name: 'a node',
    run: "kubectl apply -f node.yaml && kubectl taint node shop-node full=yes:NoSchedule && kubectl cordon shop-node && kubectl get node shop-node --no-headers | awk '{print $1,$2,$3,$5}' && kubectl uncordon shop-node && kubectl delete node shop-node",
  },
  {
    name: 'storage',
    run: "kubectl apply -f storage.yaml && kubectl get storageclass shop-slow && kubectl get pvc --no-headers | awk '{print $1,$2}'; kubectl delete -f storage.yaml --wait=false",
  },
  {
    name: 'a priority class',
    run: 'kubectl create priorityclass shop-first --value=900 --description=first && kubectl get pc shop-first && kubectl delete pc shop-first',
  },
  {
    name: 'events',
    run: 'kubectl create -f event.yaml && kubectl events --for=configmap/settings && kubectl get events --field-selector reason=Painted -o custom-columns=R:.reason,M:.message,T:.type',
  },
  {
    name: 'how the server is',
    run: 'for it in livez readyz/ping healthz version/none; do kubectl get --raw /$it; echo; done',
  },
  {
    name: 'discovery',
    run: 'for it in api apis/batch apis/batch/v1 apis/none; do kubectl get --raw /$it; echo; done',
  },
  {
    name: 'raw answers',
    run: "kubectl get --raw /api/v1/namespaces/shop/secrets/nobody; kubectl get --raw '/api/v1/namespaces/shop/secrets?limit=1&resourceVersion=abc'; kubectl get --raw '/api/v1/namespaces/shop/secrets?labelSelector=a%20b'",
  },
  {
    name: 'the paths of OpenAPI v3',
    run: `kubectl get --raw /openapi/v3 | node -e 'let t="";process.stdin.on("data",c=>t+=c).on("end",()=>console.log(Object.keys(JSON.parse(t).paths).sort().join("\\n")))'`,
  },
  {
    name: 'the definitions of OpenAPI v2',
    run: `kubectl get --raw /openapi/v2 | node -e 'let t="";process.stdin.on("data",c=>t+=c).on("end",()=>{const d=JSON.parse(t);console.log(Object.keys(d.paths).length+"\\n"+Object.keys(d.definitions).sort().join("\\n"))})'`,
  },
]
