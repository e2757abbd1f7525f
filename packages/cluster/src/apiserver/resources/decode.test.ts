import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { builtinResources } from './builtins.ts'
import { decodeBuiltin, type Decoded } from './decode.ts'

const QUANTITY =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/** What kube-apiserver v1.36.3 answers to a POST of a body that does not fit, after `… cannot be handled as a …: `. */
const REFUSED: readonly (readonly [plural: string, body: string, message: string])[] = [
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"replicas":"x"}}',
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"replicas":1.5}}',
    'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"replicas":3000000000}}',
    'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":{"a":1}}}}}',
    'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":1}]}}}}',
    'json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"x","ports":[{"containerPort":"a"}]}]}}}}',
    'json: cannot unmarshal string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a","labels":{"a":1}}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a","labels":["x"]}}',
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  [
    'deployments',
    '{"metadata":"x"}',
    'json: cannot unmarshal string into Go struct field Deployment.metadata of type v1.ObjectMeta',
  ],
  [
    'deployments',
    '{"metadata":[1]}',
    'json: cannot unmarshal array into Go struct field Deployment.metadata of type v1.ObjectMeta',
  ],
  [
    'deployments',
    '{"metadata":{"creationTimestamp":5}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  [
    'deployments',
    '{"metadata":{"creationTimestamp":"foo"}}',
    'parsing time "foo" as "2006-01-02T15:04:05Z07:00": cannot parse "foo" as "2006"',
  ],
  [
    'deployments',
    '{"metadata":{"name":true,"creationTimestamp":"2020-13-01T00:00:00Z"}}',
    'parsing time "2020-13-01T00:00:00Z": month out of range',
  ],
  [
    'deployments',
    '{"metadata":{"name":true,"uid":3}}',
    'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
    'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.5}}}}',
    'json: cannot unmarshal number 1.5 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"strategy":{"rollingUpdate":{"maxSurge":{"a":1}}}}}',
    'json: cannot unmarshal object into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"x","resources":{"limits":{"cpu":"foo"}}}]}}}}',
    QUANTITY,
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"x","resources":{"limits":{"cpu":true}}}]}}}}',
    QUANTITY,
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"x","resources":{"limits":{"cpu":{}}}}]}}}}',
    QUANTITY,
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"x","resources":{"limits":"x"}}]}}}}',
    'json: cannot unmarshal string into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"strategy":{"type":4}}}',
    'json: cannot unmarshal number into Go struct field DeploymentStrategy.spec.strategy.type of type v1.DeploymentStrategyType',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"paused":"yes"}}',
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool',
  ],
  [
    'deployments',
    '{"metadata":{"name":"a"},"spec":{"paused":1}}',
    'json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool',
  ],
  ['secrets', '{"metadata":{"name":"a"},"data":{"a":"!!"}}', 'illegal base64 data at input byte 0'],
  [
    'secrets',
    '{"metadata":{"name":"a"},"data":{"a":"YWJj","b":"YW"}}',
    'illegal base64 data at input byte 0',
  ],
  [
    'secrets',
    '{"metadata":{"name":"a"},"data":{"a":4}}',
    'json: cannot unmarshal number into Go struct field Secret.data of type []uint8',
  ],
  [
    'leases',
    '{"metadata":{"name":"a"},"spec":{"renewTime":"2020-01-01T00:00:00Z"}}',
    'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [
    'leases',
    '{"metadata":{"name":"a"},"spec":{"renewTime":"2020-01-01T00:00:00.1234567Z"}}',
    'parsing time "2020-01-01T00:00:00.1234567Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "7Z" as "Z07:00"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-02-30T00:00:00Z"}}',
    'parsing time "2020-02-30T00:00:00Z": day out of range',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T25:00:00Z"}}',
    'parsing time "2020-01-01T25:00:00Z": hour out of range',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00"}}',
    'parsing time "2020-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00Zx"}}',
    'parsing time "2020-01-01T00:00:00Zx": extra text: "x"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-1-01T00:00:00Z"}}',
    'parsing time "2020-1-01T00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse "1-01T00:00:00Z" as "01"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01 00:00:00Z"}}',
    'parsing time "2020-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00+25:00"}}',
    'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01t00:00:00z"}}',
    'parsing time "2020-01-01t00:00:00z" as "2006-01-02T15:04:05Z07:00": cannot parse "t00:00:00z" as "T"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":""}}',
    'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"20"}}',
    'parsing time "20" as "2006-01-02T15:04:05Z07:00": cannot parse "20" as "2006"',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:60Z"}}',
    'parsing time "2020-01-01T00:00:60Z": second out of range',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-00T00:00:00Z"}}',
    'parsing time "2020-01-00T00:00:00Z": day out of range',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00.Z"}}',
    'parsing time "2020-01-01T00:00:00.Z" as "2006-01-02T15:04:05Z07:00": cannot parse ".Z" as "Z07:00"',
  ],
  [
    'customresourcedefinitions',
    '{"metadata":{"name":"a"},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"type":4,"bogus":1},"bogus":2}}}}}]}}',
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string',
  ],
  [
    'customresourcedefinitions',
    '{"metadata":{"name":"a"},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":4}}}]}}',
    'boolean or JSON schema expected',
  ],
  [
    'configmaps',
    '{"metadata":{"name":"a"},"data":{"a":{"b":1}},"binaryData":5}',
    'json: cannot unmarshal object into Go struct field ConfigMap.data of type string',
  ],
]

/** What it makes of bodies that fit, before defaulting; the text shows the order of the fields too. */
const TAKEN: readonly (readonly [plural: string, body: string, object: string])[] = [
  [
    'configmaps',
    '{"data":{"a":null},"metadata":{"annotations":{},"finalizers":[],"labels":null,"name":"a"},"immutable":false}',
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"immutable":false,"data":{"a":""}}',
  ],
  [
    'secrets',
    '{"metadata":{"name":"a"},"data":{"a":"YR==","b":"YW\\nJj","c":null,"d":[1,2]},"type":""}',
    '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"YQ==","b":"YWJj","c":"","d":"AQI="}}',
  ],
  [
    'clusterroles',
    '{"metadata":{"name":"a"}}',
    '{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"a"},"rules":null}',
  ],
  [
    'endpointslices',
    '{"addressType":"IPv4","metadata":{"name":"a"}}',
    '{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"a"},"addressType":"IPv4","endpoints":null,"ports":null}',
  ],
  [
    'poddisruptionbudgets',
    '{"metadata":{"name":"a"},"spec":{}}',
    '{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"a"},"spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}}',
  ],
  [
    'clusterroles',
    '{"metadata":{"name":"a","labels":{"b":"1","a":"2"}},"rules":[]}',
    '{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"a","labels":{"a":"2","b":"1"}},"rules":[]}',
  ],
  [
    'leases',
    '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00.5+02:00"},"spec":{"acquireTime":null,"renewTime":"2020-01-01T00:00:00.123456+02:00"}}',
    '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"a","creationTimestamp":"2019-12-31T22:00:00Z"},"spec":{"renewTime":"2019-12-31T22:00:00.123456Z"}}',
  ],
  [
    'services',
    '{"spec":{"ports":[{"port":80}],"selector":{}},"metadata":{"name":"a"}}',
    '{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},"spec":{"ports":[{"port":80,"targetPort":0}]},"status":{"loadBalancer":{}}}',
  ],
  [
    'pods',
    '{"spec":{"containers":[{"resources":{"limits":{"cpu":"1000m","memory":1024,"x.y/z":null}},"name":"a","command":null,"args":[],"env":[{"name":"A","value":""}],"livenessProbe":{"httpGet":{}}}],"volumes":[{"name":"p","projected":{}}]}}',
    '{"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"volumes":[{"name":"p","projected":{"sources":null}}],"containers":[{"name":"a","env":[{"name":"A"}],"resources":{"limits":{"cpu":"1","memory":"1024","x.y/z":"0"}},"livenessProbe":{"httpGet":{"port":0}}}]},"status":{}}',
  ],
  [
    'deployments',
    '{}',
    '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
  ],
  [
    'controllerrevisions',
    '{"metadata":{"name":"a"},"data":{"b":1,"a":null}}',
    '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"a"},"data":{"b":1,"a":null},"revision":0}',
  ],
  [
    'controllerrevisions',
    '{"revision":2}',
    '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":null,"revision":2}',
  ],
]

const infoOf = (plural: string) => builtinResources().find((it) => it.plural === plural)!
const decode = (plural: string, body: string): Decoded =>
  decodeBuiltin(JSON.parse(body), infoOf(plural))

for (const [plural, body, message] of REFUSED) {
  test(`${plural} ${body}`, () => {
    assert.throws(() => decode(plural, body), { message })
  })
}

for (const [plural, body, object] of TAKEN) {
  test(`${plural} ${body}`, () => {
    const decoded = decode(plural, body)
    assert.equal(JSON.stringify(decoded.object), object)
    assert.deepEqual(decoded.problems, [])
  })
}

/** Objects of a real server, its own way of writing them in bytes. */
const real = JSON.parse(
  readFileSync(new URL('../table/testdata/rows.json', import.meta.url), 'utf8'),
) as readonly { readonly resource: string; readonly object: { metadata: { name: string } } }[]

for (const { resource, object } of real) {
  test(`${resource} ${object.metadata.name} decodes to the bytes of a real server`, () => {
    const info = builtinResources().find(
      (it) => `${it.group}/${it.version}/${it.plural}` === resource,
    )!
    const text = JSON.stringify(object)
    const decoded = decodeBuiltin(JSON.parse(text), info)
    assert.equal(JSON.stringify(decoded.object), text)
    assert.deepEqual(decoded.problems, [])
  })
}

test('unknown fields are dropped and told once each', () => {
  const decoded = decode(
    'pods',
    '{"spec":{"containers":[{"name":"a","bogus":1},{"Name":"b"}],"bogus":{"x":1}},"extra":1,"metadata":{"labels":{"x":"1"},"a":2}}',
  )
  assert.deepEqual(decoded.problems, [
    'unknown field "spec.containers[0].bogus"',
    'unknown field "spec.containers[1].Name"',
    'unknown field "spec.bogus"',
    'unknown field "extra"',
    'unknown field "metadata.a"',
  ])
  const { containers } = decoded.object.spec as { containers: unknown }
  assert.deepEqual(containers, [
    { name: 'a', resources: {} },
    { name: '', resources: {} },
  ])
})

test('problems stop at a hundred', () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, i]))
  assert.equal(decodeBuiltin(many, infoOf('pods')).problems.length, 100)
})

test('a schema within a schema is read by itself', () => {
  const items = '{"properties":{"a":{"items":{"bogus":1,"type":"string","items":[]},"bogus":2}}}'
  const body = `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${items}}}]}}`
  const decoded = decode('customresourcedefinitions', body)
  assert.deepEqual(decoded.problems, [
    'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.bogus"',
  ])
  assert.match(JSON.stringify(decoded.object), /"a":\{"items":\{"type":"string"\}\}/)
})

test('a map may have any key', () => {
  const decoded = decode('configmaps', '{"data":{"__proto__":null,"constructor":"x"}}')
  assert.equal(JSON.stringify(decoded.object.data), '{"__proto__":"","constructor":"x"}')
  assert.equal(Object.getPrototypeOf(decoded.object.data), Object.prototype)
})

test('what was decoded decodes to itself', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.constant(null), fc.integer(), fc.string(), tie('object')),
    object: fc.dictionary(
      fc.constantFrom('metadata', 'spec', 'status', 'name', 'labels', 'template', 'containers'),
      tie('value'),
    ),
  }))
  fc.assert(
    fc.property(fc.constantFrom(...builtinResources()), json.object, (info, body) => {
      let first: Decoded
      try {
        first = decodeBuiltin(structuredClone(body), info)
      } catch {
        return
      }
      const again = decodeBuiltin(structuredClone(first.object), info)
      assert.deepEqual(again, { object: first.object, problems: [] })
    }),
  )
})
