import type { Case } from '../case.ts'

const SERVER = "$(kubectl config view -o jsonpath='{.clusters[0].cluster.server}')"
const AS_TOKEN = `kubectl --kubeconfig=/dev/null --insecure-skip-tls-verify -s ${SERVER} -n shop --token`

/** Who may what: roles, tokens, certificates. */
export const ACCESS: readonly Case[] = [
  {
    name: 'roles',
    run: 'kubectl create role reader --verb=get,list --resource=configmaps,deployments.apps && kubectl create rolebinding readers --role=reader --serviceaccount=shop:default && kubectl get roles,rolebindings -o wide && kubectl describe role reader',
  },
  {
    name: 'a cluster role by labels',
    run: 'kubectl create clusterrole shop-all --aggregation-rule=shop=yes && kubectl describe clusterrole shop-all; kubectl delete clusterrole shop-all',
  },
  {
    name: 'may I',
    run: 'kubectl auth can-i list configmaps --as=system:serviceaccount:shop:default; kubectl auth can-i delete configmaps --as=system:serviceaccount:shop:default; kubectl auth can-i get /healthz --as=system:anonymous',
  },
  {
    name: 'what may I',
    run: 'kubectl auth can-i --list --as=system:serviceaccount:shop:default',
    sorted: true,
  },
  {
    name: 'what may not be',
    run: 'kubectl get secrets --as=system:serviceaccount:shop:default; kubectl get nodes --as=nobody; kubectl delete namespace shop --as=nobody --as-group=crowd; kubectl get --raw /metrics --as=nobody',
  },
  {
    name: 'who am I',
    run: 'kubectl auth whoami --as=ann --as-group=cooks --as-uid=7 --as-user-extra=shift=late',
  },
  { name: 'who am I, as YAML', run: 'kubectl auth whoami --as=ann --as-group=cooks -o yaml' },
  {
    name: 'a token',
    run: 'kubectl create token default --duration=700s --audience=till && kubectl create serviceaccount robot && kubectl describe serviceaccount robot',
  },
  {
    name: 'a token opens the door, a wrong one does not',
    run: `${AS_TOKEN}=$(kubectl create token default) get configmap settings -o name; ${AS_TOKEN}=wrong get configmap settings -o name`,
  },
  {
    name: 'a request for a certificate',
    run: `openssl req -new -newkey rsa:2048 -nodes -keyout $HOME/r.key -subj /CN=ann 2>/dev/null | base64 -w0 > $HOME/r.b64; sed "s/REQUEST/$(cat $HOME/r.b64)/" request.yaml | kubectl apply -f - && kubectl get csr shop-ann --no-headers | awk '{print $1,$3,$4,$5,$6}' && kubectl certificate approve shop-ann && sleep 1 && kubectl get csr shop-ann --no-headers | awk '{print $1,$3,$4,$5,$6}'; kubectl delete csr shop-ann`,
  },
]
