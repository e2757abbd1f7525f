/** What differs from run to run, and what stands for it. */
const RULES: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/(resourceVersion"?: ?"?)\d+/g, '$1<version>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'https://<server>'],
  [/\b(?:127\.0\.0\.1|192\.0\.2\.1):\d+/g, '<server>'],
  [/\b10\.0\.\d+\.\d+\b/g, '<ip>'],
  [/\b(pod-template-hash|controller-revision-hash)(=|"?: ?"?)[\w-]+/g, '$1$2<hash>'],
  [/\b(front)-[bcdf-hj-np-tv-z2456789]{6,10}(?:-[bcdf-hj-np-tv-z2456789]{5})?\b/g, '$1-<hash>'],
  [/\b(lone|bake|today|every|numbered)-[bcdf-hj-np-tv-z2456789]{5}\b/g, '$1-<random>'],
  [/\bkube-api-access-\w{5}/g, 'kube-api-access-<random>'],
  [/\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+(?:ms|s)\b(?: ago)?/g, '<age>'],
  [/<invalid>/g, '<age>'],
  [/(?<= )\dm(?: ago)?(?= |$)/gm, '<age>'],
  [/^([EWI])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+/gm, '$1<log>'],
  [/(nodePort"?: ?)\d+|(:)3[0-2]\d{3}(\/)|(NodePort: +(?:\S+ +)?)3[0-2]\d{3}/g, '$1$2$4<port>$3'],
]

/** A text without what differs from run to run, its runs of spaces as two. */
export const normalised = (text: string): string =>
  RULES.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text)
    .split('\n')
    .map((it) => it.replace(/ {2,}/g, '  ').trimEnd())
    .join('\n')

/** The lines of a list of complaints (`* …`) in order: Kubernetes' own order varies. */
export const inOrder = (text: string): string =>
  text.replace(/(?:^\* .*\n?)+/gm, (block) => {
    const lines = block.replace(/\n$/, '').split('\n').sort()
    return `${lines.join('\n')}${block.endsWith('\n') ? '\n' : ''}`
  })

/**
 * What `kubectl explain` says of the shape of a kind, without what its fields are for: those are other people's sentences, which are not
 * repeated here.
 */
export const shapeOnly = (text: string): string =>
  text
    .split('\n')
    .filter(
      (it) =>
        it !== 'DESCRIPTION:' && (/^\S/.test(it) || it.includes('\t<') || /^ +enum:/i.test(it)),
    )
    .join('\n')
