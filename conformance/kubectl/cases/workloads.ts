import type { Case } from '../case.ts'

/** What runs: deployments, jobs, sets, pods, and the services before them. */
export const WORKLOADS: readonly Case[] = [
  {
    name: 'a deployment, dry run',
    run: 'kubectl create deployment front --image=httpd:2 --replicas=2 --port=80 --dry-run=server -o yaml',
  },
  { name: 'a deployment', run: 'kubectl create deployment front --image=httpd:2 --replicas=2' },
  { name: 'a deployment, wide', run: 'kubectl get deployment front -o wide', until: /0\/2 +2/ },
  {
    name: 'the spec of a deployment',
    run: "kubectl get deployment front -o yaml | sed -n '/^spec:/,/^status:/p'",
  },
  {
    name: 'its replica set',
    run: 'kubectl get replicasets --no-headers',
    until: /front-\S+ +2 +2/,
  },
  {
    name: 'its pods',
    run: 'kubectl get pods -l app=front --no-headers',
    until: /front-[^]*front-/,
    sorted: true,
  },
  {
    name: 'describe a deployment',
    run: "kubectl describe deployment front | sed '/^Conditions/,$d'",
  },
  {
    name: 'scale',
    run: "kubectl scale deployment front --replicas=3 && kubectl get deployment front -o jsonpath='{.spec.replicas}'",
  },
  {
    name: 'scale from another number',
    run: 'kubectl scale deployment front --current-replicas=7 --replicas=5',
  },
  {
    name: 'another image',
    run: "kubectl set image deployment/front httpd=httpd:3 && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers[*].image}'",
  },
  {
    name: 'an environment variable',
    run: "kubectl set env deployment/front MODE=fast && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers[0].env}'",
  },
  {
    name: 'resources',
    run: "kubectl set resources deployment/front --limits=cpu=200m --requests=cpu=0.1 && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers[0].resources}'",
  },
  { name: 'a history', run: 'kubectl rollout history deployment/front', until: /\n4 / },
  {
    name: 'undo',
    run: "kubectl rollout undo deployment/front --to-revision=1 && kubectl get deployment front -o jsonpath='{.spec.template.spec.containers[0].image}'",
  },
  { name: 'the status of a roll-out', run: 'kubectl rollout status deployment/front --timeout=2s' },
  {
    name: 'pause and resume',
    run: 'kubectl rollout pause deployment/front && kubectl rollout pause deployment/front; kubectl rollout resume deployment/front',
  },
  { name: 'restart', run: 'kubectl rollout restart deployment/front' },
  {
    name: 'a service before it',
    run: 'kubectl expose deployment front --port=80 --target-port=8080 && kubectl get service front -o yaml',
  },
  { name: 'describe a service', run: 'kubectl describe service front' },
  {
    name: 'a node port',
    run: 'kubectl create service nodeport door --tcp=90:90 && kubectl get service door',
  },
  {
    name: 'an external name',
    run: 'kubectl create service externalname out --external-name=example.org && kubectl get service out',
  },
  {
    name: 'autoscale',
    run: "kubectl autoscale deployment front --min=1 --max=4 --cpu=60% && kubectl get hpa front -o yaml | sed -n '/^spec:/,/^status:/p'",
  },
  {
    name: 'a job',
    run: "kubectl create job bake --image=busybox -- true && kubectl get job bake -o yaml | sed -n '/^spec:/,/^status:/p'",
  },
  {
    name: 'a job in a table',
    run: "kubectl get job bake --no-headers | awk '{print $1,$2,$3}'",
    until: /bake/,
  },
  {
    name: 'a cron job',
    run: "kubectl create cronjob nightly --image=busybox --schedule='0 3 1 2 *' -- date && kubectl get cronjob nightly",
  },
  {
    name: 'a job from a cron job',
    run: "kubectl create job today --from=cronjob/nightly && kubectl get job today -o jsonpath='{.metadata.ownerReferences[0].kind} {.metadata.annotations}'",
  },
  {
    name: 'a cron job of no time',
    run: "kubectl create cronjob never --image=busybox --schedule='every day' -- date",
  },
  { name: 'sets', run: 'kubectl apply -f sets.yaml && kubectl get statefulsets,daemonsets' },
  {
    name: 'what all there is',
    run: "kubectl get all --no-headers | awk '{print $1}'",
    sorted: true,
  },
  {
    name: 'a pod, dry run',
    run: 'kubectl run alone --image=busybox --restart=Never --env=A=1 --labels=kind=alone --dry-run=server -o yaml -- sleep 9',
  },
  {
    name: 'a pod',
    run: 'kubectl run alone --image=busybox --restart=Never && kubectl get pod alone -o wide',
  },
  { name: 'describe a pod', run: "kubectl describe pod alone | sed '/^Events/,$d'" },
  {
    name: 'what of a pod may not change',
    run: `kubectl patch pod alone -p '{"spec":{"hostNetwork":true}}'`,
  },
  {
    name: 'a pod that nobody runs',
    run: 'kubectl logs alone; kubectl exec alone -- ls; kubectl port-forward alone 9000:80; kubectl attach alone',
  },
  {
    name: 'pods that run',
    run: 'kubectl get pods --field-selector status.phase=Running; kubectl get pods --field-selector spec.colour=x',
  },
  {
    name: 'end a pod at once',
    run: 'kubectl delete pod alone --force --grace-period=0; kubectl get pod alone',
  },
  { name: 'use of resources that nobody measures', run: 'kubectl top pods' },
  {
    name: 'a budget of disruption',
    run: "kubectl create pdb some --selector=app=front --min-available=50% && kubectl get pdb some --no-headers | awk '{print $1,$2,$3}'",
  },
  {
    name: 'an ingress',
    run: "kubectl create ingress gate --rule='shop.example.org/cart*=front:80' && kubectl get ingress gate && kubectl describe ingress gate | head -16",
  },
]
