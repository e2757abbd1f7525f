import type { Sequence } from '../step.ts'

const SERVICES = '/api/v1/namespaces/{ns}/services'

const service = (spec: object): object => ({ metadata: { name: 'a' }, spec })
const balancer = {
  type: 'LoadBalancer',
  externalTrafficPolicy: 'Local',
  ports: [
    { port: 80, name: 'a' },
    { port: 80, name: 'b', protocol: 'UDP' },
    { port: 83, name: 'c' },
  ],
}

/** What services are given, and what they keep. */
export const SERVICE_CASES: readonly Sequence[] = [
  {
    title: 'a service that its status made gets its families later',
    steps: [
      { ask: `PUT ${SERVICES}/a/status`, body: service({ ports: [{ port: 80 }] }) },
      { ask: `PUT ${SERVICES}/a`, body: service({ ports: [{ port: 80 }] }) },
      { ask: `PATCH ${SERVICES}/a`, type: 'merge', body: { spec: { ipFamilies: ['IPv6'] } } },
      { ask: `PATCH ${SERVICES}/a`, type: 'merge', body: { spec: { ipFamilies: null } } },
    ],
  },
  {
    title: 'a dry run gives every service the same',
    steps: [
      { ask: `POST ${SERVICES}?dryRun=All`, body: service({ ports: [{ port: 80 }] }) },
      { ask: `POST ${SERVICES}?dryRun=All`, body: service({ ports: [{ port: 80 }] }) },
      { ask: `POST ${SERVICES}?dryRun=All`, body: service(balancer) },
      { ask: `POST ${SERVICES}?dryRun=All`, body: service(balancer) },
      { ask: `POST ${SERVICES}`, body: service(balancer) },
      {
        ask: `PATCH ${SERVICES}/a?dryRun=All`,
        type: 'merge',
        body: { spec: { ports: [{ port: 1, name: 'x' }] } },
      },
    ],
  },
  {
    title: 'where a balancer listens is told of a balancer',
    steps: [
      { ask: `POST ${SERVICES}`, body: service(balancer) },
      {
        ask: `PUT ${SERVICES}/a/status`,
        body: {
          metadata: { name: 'a' },
          status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } },
        },
      },
      {
        ask: `PATCH ${SERVICES}/a/status`,
        type: 'merge',
        body: { status: { loadBalancer: { ingress: [{ ip: '192.0.2.9' }] } } },
      },
    ],
  },
]
