import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fresh, sendTo, type Answered } from '../testing/recorded.ts'
import { createApiServer } from '../server.ts'
import { memoryStorage } from '../storage/memory-storage.ts'

const PATH = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests'
const OPTIONS = {
  serves: () => true,
  featureGates: { PodCertificateRequest: true },
  admission: { enable: ['NodeRestriction'] },
}

const uidOf = ({ body }: Answered): string => String(body.metadata?.['uid'])

test('a node asks for certificates of the pods that run on it, and for nothing else', async () => {
  const storage = memoryStorage()
  const { send } = fresh({ ...OPTIONS, storage })
  const core = '/api/v1/namespaces/default'
  const node = await send('POST', '/api/v1/nodes', { metadata: { name: 'n' } })
  const account = await send('POST', `${core}/serviceaccounts`, { metadata: { name: 'sa' } })
  const pod = await send('POST', `${core}/pods`, {
    metadata: { name: 'p' },
    spec: { nodeName: 'n', serviceAccountName: 'sa', containers: [{ name: 'c', image: 'i' }] },
  })
  const right = {
    signerName: 'example.com/s',
    podName: 'p',
    podUID: uidOf(pod),
    serviceAccountName: 'sa',
    serviceAccountUID: uidOf(account),
    nodeName: 'n',
    nodeUID: uidOf(node),
    maxExpirationSeconds: 3600,
    pkixPublicKey: 'AAAA',
    proofOfPossession: 'AAAA',
  }
  const groups = ['system:nodes', 'system:authenticated']
  const user = { name: 'system:node:n', groups }
  const asNode = sendTo(createApiServer({ ...OPTIONS, storage, user }))
  const ask = async (changes: object): Promise<string> => {
    const body = { metadata: { name: 'r' }, spec: { ...right, ...changes } }
    const answer = await asNode('POST', PATH, body)
    return `${answer.status} ${answer.body.message}`
  }
  const forbidden = '403 podcertificaterequests.certificates.k8s.io "r" is forbidden: '
  // In the words of kubernetes/plugin/pkg/admission/noderestriction.
  for (const [changes, sentence] of [
    [
      { nodeName: 'm' },
      `${forbidden}PodCertificateRequest.Spec.NodeName="m", which is not the requesting node "n"`,
    ],
    [
      { nodeUID: 'x' },
      `500 PodCertificateRequest for pod "default/p" names node UID "x", inconsistent with the running node ("${uidOf(node)}")`,
    ],
    [
      { podName: 'q' },
      '404 while retrieving pod "default/q" named in the PodCertificateRequest: pods "q" not found',
    ],
    [
      { podUID: 'x' },
      `500 PodCertificateRequest for pod "default/p" contains pod UID ("x") which differs from running pod "${uidOf(pod)}"`,
    ],
    [
      { serviceAccountName: 'other' },
      `${forbidden}PodCertificateRequest for pod "default/p" contains serviceAccountName ("other") that differs from running pod ("sa")`,
    ],
    [
      { serviceAccountUID: 'x' },
      `500 PodCertificateRequest for pod "default/p" names service account UID "x", which differs from the running service account ("${uidOf(account)}")`,
    ],
  ] as const)
    assert.equal(await ask(changes), sentence)
  // What the node says is right; what it asks with is not.
  assert.match(await ask({}), /^422 .*spec\.pkixPublicKey/)
})
