import assert from 'node:assert/strict'
import { mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createApiServer } from '@kubewright/cluster/apiserver'
import { createClient } from 'kubewright'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { reloadable } from './reloadable.ts'

test('changed sources are taken over by the running operator, and broken ones change nothing', async (t) => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'kubewright-reload-'))
  const server = createApiServer({})
  const transport = (request: Request): Promise<Response> => server.fetch(request)
  const client = createClient({ transport })
  await mkdir(path.join(root, 'src'))
  await writeFile(path.join(root, 'package.json'), '{"type":"module"}')
  await symlink(
    path.resolve(import.meta.dirname, '../../../node_modules'),
    path.join(root, 'node_modules'),
  )
  const write = (text: string): Promise<void> => writeFile(path.join(root, 'src', 'text.ts'), text)
  await writeFile(
    path.join(root, 'src', 'app.ts'),
    `import { manager } from 'kubewright'
import { ConfigMap, Secret } from 'kubewright/kinds/core/v1'
import { text } from './text.ts'
export const app = manager()
app.controller(ConfigMap).where(({ object }) => object.metadata.name === 'a').reconcile(async (_, { apply }) => {
  await apply(Secret, { metadata: { name: 'a' }, data: { text: btoa(text) } })
})
`,
  )
  await write(`export const text: string = 'one'\n`)
  const said: string[] = []
  let tell = (): void => {}
  const next = (): Promise<void> => new Promise((resolve) => (tell = resolve))
  const sources = reloadable(root, (it) => {
    said.push(it)
    tell()
  })
  const written: (() => void)[] = []
  const wrote = (): Promise<void> => new Promise((resolve) => written.push(resolve))
  const app = await sources.load()
  const first = wrote()
  const running = await app.start({
    transport,
    observer: (event) => {
      if (event.type === 'written' && event.sent) written.shift()?.()
    },
  })
  t.after(async () => {
    sources.close()
    await running.stop()
    await server.close()
    await rm(root, { recursive: true })
  })
  sources.follow(running)
  const text = async (): Promise<string> => atob((await client.get(Secret, 'a')).data!['text']!)
  await client.create(ConfigMap, { metadata: { name: 'a' } })
  await first
  assert.equal(await text(), 'one')

  const second = Promise.all([next(), wrote()])
  await write(`export const text: string = 'two'\n`)
  await second
  assert.equal(await text(), 'two')
  assert.match(said.at(-1)!, /^reloaded in \d+ ms$/)

  const broken = next()
  await write(`export const text: string = ???\n`)
  await broken
  assert.match(said.at(-1)!, /^not reloaded, the old code goes on: /)
  const third = wrote()
  await client.patch(ConfigMap, 'a', { type: 'merge', body: { data: { x: '1' } } })
  await third
  assert.equal(await text(), 'two')
})
