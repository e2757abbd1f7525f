import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { fresh, recorded } from '../testing/recorded.ts'
import { createApiServer } from '../index.ts'

/** What kube-apiserver v1.36 with these plugins answered; a request without a name only makes what others need. */
interface Row {
  readonly name?: string
  readonly method: string
  readonly path: string
  readonly body?: object
  /** A name of a node that asks, or of another user, and his groups. */
  readonly headers?: Readonly<Record<string, string>>
  readonly expected: {
    readonly status: number
    readonly message?: string
    readonly reason?: string
    readonly spec?: object
    readonly labels?: object
    readonly annotations?: object
  }
}

const ROWS = recorded<Row>(new URL('testdata/plugins.json', import.meta.url))
const ENABLED = [
  'AlwaysPullImages',
  'OwnerReferencesPermissionEnforcement',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'LimitPodHardAntiAffinityTopology',
  'ExtendedResourceToleration',
  'NodeRestriction',
  'DenyServiceExternalIPs',
  'NamespaceAutoProvision',
]

describe('plugins that are off by default, and those of certificates', () => {
  const { server, send } = fresh({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    admission: { enable: ENABLED },
  })

  after(() => server.close())

  for (const { name, method, path, body, headers, expected } of ROWS) {
    test(name ?? path, async () => {
      const answer = await send(method, path, body, headers)
      if (name === undefined) return
      const { message, reason, spec, metadata = {} } = answer.body
      const { labels, annotations } = metadata
      const seen = { message, reason, spec, labels, annotations }
      const named = Object.entries(seen).filter(([it]) => it in expected)
      const { status } = answer
      assert.deepEqual({ status, ...Object.fromEntries(named) }, expected)
    })
  }
})

test('a plugin that is none, and one that is both on and off, are refused', () => {
  const refused = (admission: object): string => {
    try {
      createApiServer({ admission })
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('It was taken.')
  }
  assert.equal(refused({ enable: ['Nope'] }), 'enable-admission-plugins plugin "Nope" is unknown')
  assert.equal(
    refused({ enable: ['AlwaysDeny'], disable: ['AlwaysDeny', 'X'] }),
    '[disable-admission-plugins plugin "X" is unknown, [AlwaysDeny] in enable-admission-plugins and disable-admission-plugins overlapped]',
  )
})
