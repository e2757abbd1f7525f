import { setTimeout as sleep } from 'node:timers/promises'
import type { Case } from './case.ts'
import type { Kubectl } from './kubectl.ts'
import { shown, withoutChance } from './plain.ts'

/** How long a case is asked again for what it waits for, ms. */
const PATIENCE = 90_000

/** Does what a case says and answers with what is seen, or with what went wrong. */
export async function play(it: Case, kubectl: Kubectl): Promise<string> {
  const command = `$ kubectl ${it.ask.join(' ')}`
  try {
    for (const object of it.given ?? [])
      await kubectl.must(['apply', '--server-side', '--force-conflicts', '-f', '-'], object)
    for (const args of it.after ?? []) await kubectl.must(args)
    return `${command}\n${await seen(it, kubectl)}`
  } catch (error) {
    return `${command}\n${withoutChance((error as Error).message)}`
  }
}

async function seen(it: Case, kubectl: Kubectl): Promise<string> {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const { code, out, all } = await kubectl.run(it.ask, it.input)
    const text = linesOf(
      code === 0 && out.startsWith('{') ? shown(JSON.parse(out)) : withoutChance(all.trim()),
      it,
    )
    if (isThere(text, it) || performance.now() > deadline) return text
    await sleep(500)
  }
}

const isThere = (text: string, { until = [], unless = [] }: Case): boolean =>
  until.every((it) => it.test(text)) && !unless.some((it) => it.test(text))

const linesOf = (text: string, { lines }: Case): string =>
  lines
    ? text
        .split('\n')
        .filter((it) => lines.test(it))
        .join('\n')
    : text
