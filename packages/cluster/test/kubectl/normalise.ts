/** A word of the alphabet from which Kubernetes makes random names. */
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]'

/** What differs from run to run, from server to server and from one kubectl to the next, and what stands for it. */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/(resourceVersion\\?"?: ?\\?"?)\d+/g, '$1<version>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'https://<server>'],
  [/(?<![\d.])10(\.\d+){3}(?![\d.])/g, '<ip>'],
  [/(pod-template-hash["=:]* ?"?)\w+/g, '$1<hash>'],
  [new RegExp(`-${RANDOM}{8,10}-${RANDOM}{5}\\b`, 'g'), '-<hash>-<random>'],
  [new RegExp(`-(?=${RANDOM}*\\d)${RANDOM}{8,10}\\b`, 'g'), '-<hash>'],
  [/kube-api-access-\w{5}/g, 'kube-api-access-<random>'],
  [/(?<=[\s(,])(\d+d)?(\d+h)?(\d+m)?(\d+s)(?=[\s,)]|$)( ago)?/gm, '<age>'],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/nodePort: 3[0-2]\d{3}|:3[0-2]\d{3}\//g, '<node port>'],
  [/[WE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /g, '<log> '],
  // kubectl 1.33 began to say from where it deletes.
  [/( (force )?deleted) from \S+ namespace/g, '$1'],
  // Columns are as wide as what stands in them.
  [/(?<=\S)( {2,}|\t)/g, '   '],
  [/ +$/gm, ''],
]

/** An output with all of that replaced, and the errors of an invalid object sorted: the real server tells them in any order. */
export const normalise = (output: string): string =>
  RULES.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    output,
  ).replace(
    /(^! \* .*\n?)+/gm,
    (errors) => `${errors.trimEnd().split('\n').toSorted().join('\n')}\n`,
  )

/**
 * A YAML text with the entries of `managedFields` in the order of their text: their own is by time, and whether two writes fall into one
 * second is chance.
 */
export const withOwnersInOrder = (text: string): string =>
  text.replace(/(?<=^ +managedFields:\n)(?: +(?:- | ).*\n)+?(?= {2}\w)/gm, (block) =>
    block
      .split(/^(?=  - )/m)
      .sort()
      .join(''),
  )
