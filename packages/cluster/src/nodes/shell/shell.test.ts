import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runProgram, type ShellContext } from './shell.ts'

const CONTEXT: ShellContext = {
  env: { NAME: 'world' },
  hostname: 'web-0',
  now: () => Date.UTC(2026, 0, 1),
  tty: false,
  isLenient: false,
}

/** Runs a command to its end, or for so many effects: what it wrote, errors after a `!`, and waits as `~ms`. */
function story(words: readonly string[], lines: readonly string[] = [], most: number = 50): string {
  const program = runProgram(words, CONTEXT)
  const input = [...lines]
  let text = ''
  let given: string | undefined
  for (let count = 0; count < most; count++) {
    const { done, value } = program.next(given)
    if (done) return `${text}=${value}`
    if (value.is === 'write') text += `${value.stream === 'stderr' ? '!' : ''}${value.text}`
    if (value.is === 'sleep') text += `~${value.ms} `
    given = value.is === 'read' ? input.shift() : undefined
  }
  return text
}

const sh = (script: string): string => story(['sh', '-c', script])

describe('a simulated shell', () => {
  const CASES: readonly (readonly [string, string])[] = [
    ['echo hello', 'hello\n=0'],
    ['echo "a  b" \'$NAME\' "$NAME" ${NAME}s', 'a  b $NAME world worlds\n=0'],
    ['echo -n x; echo -e "a\\\\tb"', 'xa\tb\n=0'],
    ['false || echo rescued && echo on', 'rescued\non\n=0'],
    ['false && echo never; echo $?', '1\n=0'],
    ['exit 3; echo never', '=3'],
    ['exec echo last; echo never', 'last\n=0'],
    ['X=5; echo $X$(hostname)', '5web-0\n=0'],
    ['sleep 1.5; sleep 1m', '~1500 ~60000 =0'],
    ['for i in 1 2; do echo $i; done; echo end', '1\n2\nend\n=0'],
    ['for i in $(seq 3); do echo n$i; done', 'n1\nn2\nn3\n=0'],
    ['[ "$NAME" = world ] && echo yes', 'yes\n=0'],
    ['test -n "" || echo empty', 'empty\n=0'],
    ['echo quiet > /dev/null 2>&1', 'quiet\n=0'],
    ['echo dropped | cat', '=0'],
    ['printf "%s-%d\\n" a 1', 'a-1\n=0'],
    ['nothing --here', '!sh: nothing: not found\n=127'],
    ['touch /a; mkdir -p /b; echo ok # done', 'ok\n=0'],
    ['echo a\necho b', 'a\nb\n=0'],
    ['date; env | sort', 'Thu, 01 Jan 2026 00:00:00 GMT\n!sh: sort: not found\n=127'],
  ]
  for (const [script, told] of CASES) {
    test(script, () => assert.equal(sh(script), told))
  }

  test('goes on for ever where it is told so, and lets others have their turn', () => {
    const told = story(['sh', '-c', 'while true; do echo x; sleep 2; done'], [], 6)
    assert.equal(told, 'x\n~2000 ~1 x\n~2000 ~1 ')
  })

  test('reads what it is to run, and programs read too', () => {
    assert.equal(story(['sh'], ['echo one\n', 'exit 4\n', 'echo never\n']), 'one\n=4')
    assert.equal(story(['cat'], ['a\n', 'b']), 'a\nb=0')
  })

  test('shows a prompt to who has a terminal', () => {
    const program = runProgram(['sh'], { ...CONTEXT, tty: true })
    assert.deepEqual(program.next().value, { is: 'write', stream: 'stdout', text: '/ # ' })
  })

  test('passes over what it does not know where it is lenient', () => {
    const program = runProgram(['sh', '-c', 'my-server; echo up'], { ...CONTEXT, isLenient: true })
    assert.deepEqual(program.next().value, { is: 'write', stream: 'stdout', text: 'up\n' })
  })
})
