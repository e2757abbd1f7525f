import type { Case } from '../case.ts'
import { OF_THE_TEAM, secret, SOON_GONE, TEAM, v1, v1alpha1 } from './objects.ts'

const json = ['-o', 'json', '--show-managed-fields'] as const
const READY = [/- "?Available True/, /- "?Reconciled True/]

const BEGINNING: readonly Case[] = [
  {
    name: 'definitions are established',
    ask: [
      'get',
      'crd',
      '-o',
      'custom-columns=NAME:.metadata.name,VERSIONS:.spec.versions[*].name,STORED:.status.storedVersions,CONDITIONS:.status.conditions[*].type,IS:.status.conditions[*].status',
    ],
  },
]

const PROMETHEUS: readonly Case[] = [
  {
    name: 'a Prometheus becomes available',
    given: [
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'prometheus', namespace: 'monitoring' },
      },
      v1('Prometheus', 'main', {
        replicas: 2,
        version: 'v3.5.0',
        ...SOON_GONE,
        serviceAccountName: 'prometheus',
        retention: '7d',
        externalLabels: { cluster: 'c1' },
        resources: { requests: { memory: '400Mi' } },
        serviceMonitorSelector: OF_THE_TEAM,
        podMonitorSelector: OF_THE_TEAM,
        probeSelector: OF_THE_TEAM,
        scrapeConfigSelector: OF_THE_TEAM,
        ruleSelector: OF_THE_TEAM,
        alerting: {
          alertmanagers: [{ namespace: 'monitoring', name: 'alertmanager-operated', port: 'web' }],
        },
      }),
    ],
    ask: ['get', 'prometheus', 'main', ...json],
    until: [...READY, /availableReplicas: 2/],
  },
  {
    name: 'its StatefulSet',
    ask: ['get', 'statefulset', 'prometheus-main', ...json],
    until: [/readyReplicas: 2/],
  },
  {
    name: 'its pods',
    ask: [
      'get',
      'pods',
      '-l',
      'prometheus=main',
      '--show-labels',
      '-o',
      'custom-columns=NAME:.metadata.name,PHASE:.status.phase,OWNER:.metadata.ownerReferences[*].kind,CONTAINERS:.spec.containers[*].name,HOST:.spec.hostname,SUBDOMAIN:.spec.subdomain',
    ],
  },
  { name: 'its service', ask: ['get', 'service', 'prometheus-operated', ...json] },
  {
    name: 'its secrets',
    ask: [
      'get',
      'secrets',
      '-o',
      'custom-columns=NAME:.metadata.name,TYPE:.type,OWNER:.metadata.ownerReferences[*].name',
    ],
  },
  { name: 'its configuration', ask: ['get', 'secret', 'prometheus-main', ...json] },
  {
    name: 'a ServiceMonitor is scraped, with a password from a Secret',
    given: [
      secret('login', { user: 'shop', password: 'changeit' }),
      v1(
        'ServiceMonitor',
        'web',
        {
          selector: { matchLabels: { app: 'web' } },
          endpoints: [
            {
              port: 'http',
              interval: '30s',
              basicAuth: {
                username: { name: 'login', key: 'user' },
                password: { name: 'login', key: 'password' },
              },
            },
          ],
        },
        TEAM,
      ),
    ],
    ask: ['get', 'secret', 'prometheus-main', ...json],
    until: [/serviceMonitor\/monitoring\/web/, /changeit/],
  },
  {
    name: 'a PodMonitor, a Probe and a ScrapeConfig are scraped',
    given: [
      v1(
        'PodMonitor',
        'pods',
        { selector: {}, podMetricsEndpoints: [{ port: 'metrics', path: '/m' }] },
        TEAM,
      ),
      v1(
        'Probe',
        'outside',
        {
          prober: { url: 'prober:9115' },
          module: 'http_2xx',
          targets: { staticConfig: { static: ['https://shop.example'] } },
        },
        TEAM,
      ),
      v1alpha1(
        'ScrapeConfig',
        'static',
        { staticConfigs: [{ targets: ['a:1', 'b:2'], labels: { x: 'y' } }], scrapeInterval: '1m' },
        TEAM,
      ),
    ],
    ask: ['get', 'secret', 'prometheus-main', ...json],
    until: [
      /podMonitor\/monitoring\/pods/,
      /probe\/monitoring\/outside/,
      /scrapeConfig\/monitoring\/static/,
    ],
  },
  {
    name: 'rules go to a ConfigMap',
    given: [
      v1(
        'PrometheusRule',
        'alerts',
        {
          groups: [
            {
              name: 'g',
              rules: [
                {
                  alert: 'Down',
                  expr: 'up == 0',
                  for: '5m',
                  labels: { severity: 'page' },
                  annotations: { summary: '{{ $labels.job }} is down' },
                },
              ],
            },
          ],
        },
        TEAM,
      ),
    ],
    ask: ['get', 'configmap', 'prometheus-main-rulefiles-0', ...json],
    until: [/alert: Down/],
  },
  {
    name: 'a ServiceMonitor that asks for a Secret that is not there is left out, and told',
    given: [
      v1(
        'ServiceMonitor',
        'bad',
        {
          selector: {},
          endpoints: [
            { port: 'http', authorization: { credentials: { name: 'gone', key: 'token' } } },
          ],
        },
        TEAM,
      ),
    ],
    ask: [
      'get',
      'events',
      '--field-selector=involvedObject.name=bad',
      '-o',
      'custom-columns=TYPE:.type,REASON:.reason,KIND:.involvedObject.kind,FROM:.source.component,BY:.reportingComponent,SAYS:.message',
    ],
    until: [/Warning/],
  },
  {
    name: 'what the definitions refuse',
    ask: ['create', '-f', '-'],
    input: v1('Prometheus', 'wrong', {
      replicas: -1,
      retention: 'long',
      scrapeInterval: 'x',
      logLevel: 'loud',
    }),
  },
  {
    name: 'a wrong ServiceMonitor is refused',
    ask: ['create', '-f', '-'],
    input: v1('ServiceMonitor', 'wrong', {
      endpoints: [{ interval: 'soon', relabelings: [{ action: 'x' }] }],
    }),
  },
]

const CHANGES: readonly Case[] = [
  {
    name: 'one replica instead of two',
    after: [['patch', 'prometheus', 'main', '--type=merge', '-p', '{"spec":{"replicas":1}}']],
    ask: ['get', 'prometheus', 'main', ...json],
    until: [...READY, /^ {2}availableReplicas: 1$/m, /^ {2}unavailableReplicas: 0$/m],
  },
  {
    name: 'a new version rolls out',
    after: [
      ['patch', 'prometheus', 'main', '--type=merge', '-p', '{"spec":{"version":"v3.4.0"}}'],
      ['rollout', 'status', 'statefulset/prometheus-main', '--timeout=60s'],
    ],
    ask: [
      'get',
      'statefulset',
      'prometheus-main',
      '-o',
      'custom-columns=IMAGES:.spec.template.spec.containers[*].image,READY:.status.readyReplicas,UPDATED:.status.updatedReplicas',
    ],
    until: [/prometheus:v3\.4\.0\S* +1 +1/],
  },
  {
    name: 'paused',
    after: [['patch', 'prometheus', 'main', '--type=merge', '-p', '{"spec":{"paused":true}}']],
    ask: ['get', 'prometheus', 'main', ...json],
    until: [/paused: true\n(.*\n)*status:(.*\n)* {2}paused: true/],
  },
  {
    name: 'going on with claims: a StatefulSet that may not be changed is made anew',
    after: [
      [
        'patch',
        'prometheus',
        'main',
        '--type=merge',
        '-p',
        '{"spec":{"paused":false,"storage":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}}',
      ],
    ],
    ask: ['get', 'statefulset', 'prometheus-main', ...json],
    until: [/volumeClaimTemplates/, /currentReplicas: 1|replicas: 1/],
  },
  {
    name: 'its claims',
    ask: ['get', 'pvc', ...json],
    until: [/prometheus-main-db-prometheus-main-0/],
  },
  {
    name: 'what it says while it waits for a volume',
    ask: ['get', 'prometheus', 'main', ...json],
    until: [/Available False/, /Reconciled True/],
  },
  {
    name: 'two shards, by the scale subresource',
    given: [v1('Prometheus', 'sharded', { replicas: 1, version: 'v3.5.0', ...SOON_GONE })],
    after: [
      ['wait', '--for=condition=Available', 'prometheus/sharded', '--timeout=60s'],
      ['scale', 'prometheus', 'sharded', '--replicas=2'],
    ],
    ask: ['get', 'prometheus', 'sharded', ...json],
    until: [...READY, /shardID: "1"/, /^ {2}availableReplicas: 2$/m],
  },
  {
    name: 'their scale',
    ask: [
      'get',
      '--raw',
      '/apis/monitoring.coreos.com/v1/namespaces/monitoring/prometheuses/sharded/scale',
    ],
  },
  {
    name: 'their StatefulSets',
    ask: [
      'get',
      'statefulsets',
      '-l',
      'operator.prometheus.io/name=sharded',
      '-o',
      'custom-columns=NAME:.metadata.name,READY:.status.readyReplicas,SHARD:.metadata.labels.operator\\.prometheus\\.io/shard',
    ],
  },
]

const OTHERS: readonly Case[] = [
  {
    name: 'an Alertmanager becomes available',
    given: [
      v1('Alertmanager', 'main', {
        replicas: 2,
        version: 'v0.28.1',
        ...SOON_GONE,
        alertmanagerConfigSelector: OF_THE_TEAM,
      }),
      v1alpha1(
        'AlertmanagerConfig',
        'mail',
        {
          route: {
            receiver: 'team',
            groupBy: ['job'],
            groupWait: '30s',
            matchers: [{ name: 'severity', value: 'page', matchType: '=' }],
          },
          receivers: [{ name: 'team', webhookConfigs: [{ url: 'http://hooks.example/' }] }],
        },
        TEAM,
      ),
    ],
    ask: ['get', 'alertmanager', 'main', ...json],
    until: [...READY, /availableReplicas: 2/],
  },
  {
    name: 'its StatefulSet',
    ask: ['get', 'statefulset', 'alertmanager-main', ...json],
    until: [/readyReplicas: 2/],
  },
  {
    name: 'its configuration',
    ask: ['get', 'secret', 'alertmanager-main-generated', ...json],
    until: [/hooks\.example/],
  },
  { name: 'its service', ask: ['get', 'service', 'alertmanager-operated', ...json] },
  {
    name: 'a ThanosRuler becomes available',
    given: [
      v1('ThanosRuler', 'rules', {
        image: 'quay.io/thanos/thanos:v0.39.2',
        ruleSelector: OF_THE_TEAM,
        queryEndpoints: ['dnssrv+_http._tcp.query.monitoring.svc'],
        evaluationInterval: '30s',
      }),
    ],
    ask: ['get', 'thanosruler', 'rules', ...json],
    until: [...READY, /availableReplicas: 1/],
  },
  {
    name: 'its StatefulSet',
    ask: ['get', 'statefulset', 'thanos-ruler-rules', ...json],
    until: [/readyReplicas: 1/],
  },
  { name: 'its rules', ask: ['get', 'configmap', 'thanos-ruler-rules-rulefiles-0', ...json] },
  {
    name: 'a PrometheusAgent becomes available',
    given: [
      v1alpha1('PrometheusAgent', 'agent', {
        version: 'v3.5.0',
        remoteWrite: [{ url: 'http://far.example/write' }],
        podMonitorSelector: OF_THE_TEAM,
      }),
    ],
    ask: ['get', 'prometheusagent', 'agent', ...json],
    until: [...READY, /availableReplicas: 1/],
  },
  {
    name: 'its configuration',
    ask: ['get', 'secret', 'prom-agent-agent', ...json],
    until: [/far\.example/],
  },
  {
    name: 'as kubectl lists them',
    ask: [
      'get',
      'prometheuses,alertmanagers,thanosrulers,prometheusagents,servicemonitors,podmonitors,probes,scrapeconfigs,prometheusrules,alertmanagerconfigs',
      '--no-headers',
    ],
  },
]

const END: readonly Case[] = [
  {
    name: 'deleted, and what it owned goes with it',
    after: [
      ['delete', 'alertmanager', 'main', '--wait=true', '--timeout=60s'],
      ['delete', 'prometheus', 'sharded', '--cascade=foreground', '--timeout=60s'],
    ],
    ask: [
      'get',
      'statefulsets,secrets,configmaps,services,pods',
      '-o',
      'custom-columns=KIND:.kind,NAME:.metadata.name',
    ],
    unless: [/alertmanager/, /sharded/],
  },
]

/** What is asked of a cluster with prometheus-operator. */
export const CASES: readonly Case[] = [
  ...BEGINNING,
  ...PROMETHEUS,
  ...CHANGES,
  ...named(OTHERS),
  ...END,
]

/** A case's name tells of whom it is where several have one alike. */
function named(cases: readonly Case[]): readonly Case[] {
  let of = ''
  return cases.map((it) => {
    of = /an? (\w+) becomes available/.exec(it.name)?.[1] ?? of
    return it.name.startsWith('its ') ? { ...it, name: `${of}: ${it.name}` } : it
  })
}
