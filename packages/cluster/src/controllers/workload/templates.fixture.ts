/** Pod templates as kube-apiserver v1.36.3 stored them, and what kube-controller-manager called them. */
export const TEMPLATES: readonly {
  readonly deployment: object
  readonly hash: string
  readonly set: object
  readonly stateful: string
  readonly daemon: string
}[] = [
  {
    deployment: {
      metadata: { labels: { app: 'plain' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'nginx:1.25',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '5b877d5965',
    set: {
      metadata: { labels: { app: 'plain' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'nginx:1.25',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'IfNotPresent',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: 'c8d9c5979',
    daemon: 'c6bb8ffd8',
  },
  {
    deployment: {
      metadata: { labels: { app: 'rich' }, annotations: { x: 'y "z" <&>' } },
      spec: {
        volumes: [
          { name: 'e', emptyDir: {} },
          { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } },
          {
            name: 'c',
            configMap: {
              name: 'cm',
              items: [{ key: 'a', path: 'b', mode: 420 }],
              defaultMode: 420,
            },
          },
          {
            name: 'p',
            projected: {
              sources: [
                { serviceAccountToken: { expirationSeconds: 3600, path: 't' } },
                {
                  downwardAPI: {
                    items: [
                      { path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } },
                    ],
                  },
                },
              ],
              defaultMode: 420,
            },
          },
        ],
        initContainers: [
          {
            name: 'i',
            image: 'busybox',
            command: ['a', 'b c'],
            resources: {},
            restartPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        containers: [
          {
            name: 'main',
            image: 'nginx',
            ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
              {
                name: 'C',
                valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } },
              },
            ],
            resources: {
              limits: {
                cpu: '1500m',
                'ephemeral-storage': '1e9',
                'example.com/x': '3',
                memory: '1Gi',
              },
              requests: { cpu: '500m', 'example.com/x': '3', memory: '64Mi' },
            },
            volumeMounts: [{ name: 'e', mountPath: '/e' }],
            livenessProbe: {
              httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 3,
              successThreshold: 1,
              failureThreshold: 3,
            },
            readinessProbe: {
              tcpSocket: { port: 80 },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            startupProbe: {
              exec: { command: ['x'] },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            lifecycle: { preStop: { sleep: { seconds: 1 } } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
            securityContext: { capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { a: '2', b: '1' },
        serviceAccountName: 'default',
        serviceAccount: 'default',
        securityContext: { runAsUser: 1, fsGroup: 2 },
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 3,
                podAffinityTerm: {
                  labelSelector: {
                    matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
                  },
                  topologyKey: 'k',
                },
              },
            ],
          },
        },
        schedulerName: 'default-scheduler',
        tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'x' } },
          },
        ],
      },
    },
    hash: 'c4f6f469b',
    set: {
      metadata: { labels: { app: 'rich' }, annotations: { x: 'y "z" <&>' } },
      spec: {
        volumes: [
          { name: 'e', emptyDir: {} },
          { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '512Mi' } },
          {
            name: 'c',
            configMap: {
              name: 'cm',
              items: [{ key: 'a', path: 'b', mode: 420 }],
              defaultMode: 420,
            },
          },
          {
            name: 'p',
            projected: {
              sources: [
                { serviceAccountToken: { expirationSeconds: 3600, path: 't' } },
                {
                  downwardAPI: {
                    items: [
                      { path: 'l', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.labels' } },
                    ],
                  },
                },
              ],
              defaultMode: 420,
            },
          },
        ],
        initContainers: [
          {
            name: 'i',
            image: 'busybox',
            command: ['a', 'b c'],
            resources: {},
            restartPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        containers: [
          {
            name: 'main',
            image: 'nginx',
            ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
              {
                name: 'C',
                valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } },
              },
            ],
            resources: {
              limits: {
                cpu: '1500m',
                'ephemeral-storage': '1e9',
                'example.com/x': '3',
                memory: '1Gi',
              },
              requests: { cpu: '500m', 'example.com/x': '3', memory: '64Mi' },
            },
            volumeMounts: [{ name: 'e', mountPath: '/e' }],
            livenessProbe: {
              httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 3,
              successThreshold: 1,
              failureThreshold: 3,
            },
            readinessProbe: {
              tcpSocket: { port: 80 },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            startupProbe: {
              exec: { command: ['x'] },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            lifecycle: { preStop: { sleep: { seconds: 1 } } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
            securityContext: { capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        serviceAccountName: 'default',
        serviceAccount: 'default',
        securityContext: { runAsUser: 1, fsGroup: 2 },
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 3,
                podAffinityTerm: {
                  labelSelector: {
                    matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
                  },
                  topologyKey: 'k',
                },
              },
            ],
          },
        },
        schedulerName: 'default-scheduler',
        tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'x' } },
          },
        ],
      },
    },
    stateful: '7847b799bb',
    daemon: '676d55dd8',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q1' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '0' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '76fdc8d4c7',
    set: {
      metadata: { labels: { app: 'q1' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '0' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '7d5fdc4545',
    daemon: '848c8587f6',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q2' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '1m', memory: '1536Mi' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '5b5c9ddcd',
    set: {
      metadata: { labels: { app: 'q2' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '1m', memory: '1536Mi' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: 'dbf4fc8dd',
    daemon: '5b44644969',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q3' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { memory: '1234567890123456789' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '988566c',
    set: {
      metadata: { labels: { app: 'q3' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { memory: '1234567890123456789' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '6b4f5f9d7b',
    daemon: '66566c99f8',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q4' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '3k', memory: '107374182400m' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: 'f57648767',
    set: {
      metadata: { labels: { app: 'q4' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '3k', memory: '107374182400m' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '88f79b7f5',
    daemon: '8657c5749d',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q5' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '1e3', memory: '1Ei' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '74bbccc577',
    set: {
      metadata: { labels: { app: 'q5' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '1e3', memory: '1Ei' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '77d7b9bd54',
    daemon: '7f9f7879dd',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q6' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '2500m', memory: '1000Ki' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '56c6f69d56',
    set: {
      metadata: { labels: { app: 'q6' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '2500m', memory: '1000Ki' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '54565b97f8',
    daemon: '65b4846c4c',
  },
  {
    deployment: {
      metadata: { labels: { app: 'q7' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '100m', memory: '12E' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    hash: '6ddfdcf648',
    set: {
      metadata: { labels: { app: 'q7' } },
      spec: {
        containers: [
          {
            name: 'a',
            image: 'b',
            resources: { requests: { cpu: '100m', memory: '12E' } },
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        nodeSelector: { never: 'x' },
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    stateful: '5dd65d7cd',
    daemon: '74889cbc4c',
  },
]
