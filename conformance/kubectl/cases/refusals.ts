import type { Case } from '../case.ts'
import { given } from '../case.ts'

const pod = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec,
})

/** What is refused, and how. */
export const REFUSALS: readonly Case[] = [
  {
    name: 'a pod with much wrong',
    run: `kubectl create ${given(
      pod('No_Name', {
        restartPolicy: 'Sometimes',
        containers: [{ name: 'a', image: '', ports: [{ containerPort: 70000 }] }, { name: 'a' }],
      }),
    )}`,
  },
  {
    name: 'volumes that do not fit',
    run: `kubectl create ${given(
      pod('v', {
        volumes: [{ name: 'x', emptyDir: {}, hostPath: { path: '/' } }, { name: 'x' }],
        containers: [
          {
            name: 'a',
            image: 'i',
            volumeMounts: [{ name: 'y', mountPath: '' }],
            resources: { limits: { cpu: '-1' } },
          },
        ],
      }),
    )}`,
  },
  {
    name: 'a service with much wrong',
    run: `kubectl create ${given({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: '_desk' },
      spec: { type: 'Door', clusterIP: 'x', ports: [{ port: 0 }, { port: 80, protocol: 'ICMP' }] },
    })}`,
  },
  {
    name: 'an ingress with much wrong',
    run: `kubectl create ${given({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'i' },
      spec: {
        rules: [
          { host: '1.2.3.4', http: { paths: [{ path: 'x', pathType: 'Exact', backend: {} }] } },
        ],
      },
    })}`,
  },
  {
    name: 'a field that is none, strictly',
    run: `kubectl create ${given(pod('p', { containers: [{ name: 'a', image: 'i', iamge: 'j' }] }))}`,
  },
  {
    name: 'a field twice, strictly',
    run: `kubectl create --validate=strict -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"k":"1","k":"2"}}'`,
  },
  {
    name: 'a field that is none, with a warning',
    run: `kubectl create --validate=warn -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"warned"},"dta":{"k":"1"}}'`,
  },
  {
    name: 'a value of another type',
    run: `kubectl create --validate=false -f - <<< '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":"two"}}'`,
  },
  {
    name: 'a kind that is none',
    run: `kubectl create -f - <<< '{"apiVersion":"apps/v7","kind":"Deployment","metadata":{"name":"d"}}'; kubectl create -f - <<< '{"apiVersion":"v1","kind":"Teapot","metadata":{"name":"d"}}'`,
  },
  {
    name: 'a namespace that is none',
    run: 'kubectl create configmap x -n nowhere',
  },
  {
    name: 'another namespace in the manifest',
    run: `kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"default"}}'`,
  },
  {
    name: 'a quota that is full',
    run: 'kubectl create quota few --hard=services=0,secrets=20 && sleep 2 && kubectl create service clusterip more --tcp=1:1; kubectl delete quota few',
  },
  {
    name: 'limits are put in',
    run: `kubectl apply -f limits.yaml && kubectl run limited --image=x --restart=Never --dry-run=server -o jsonpath='{.spec.containers[0].resources}'; kubectl describe limits; kubectl delete limits --all`,
  },
]
