import type { Chance } from '../chance.ts'

/** Where reads go and what they can refer to. */
export interface ReadContext {
  readonly collection: string
  readonly name: string
  readonly selectors: readonly string[]
  /** Ids of steps that were answered with an object, and with a page. */
  readonly objects: readonly string[]
  readonly pages: readonly string[]
  /** A selector that keeps to the sequence's own objects; empty where the namespace does. */
  readonly own: string
}

const ACCEPTS_OF_READS = [
  [10, undefined],
  [3, 'table'],
  [1, 'tableonly'],
  [1, 'yaml'],
  [2, 'metadata'],
  [2, 'metadatalist'],
  [0.3, 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'],
  [0.3, 'text/plain'],
  [0.3, 'application/json;as=Nothing;v=v1;g=meta.k8s.io'],
  [0.3, '*/*'],
  [0.3, 'application/json;q=0.5, application/yaml'],
] as const

/** An Accept header of a read, by its short word; undefined for none. */
export const acceptOf = (chance: Chance): string | undefined => chance.weighted(ACCEPTS_OF_READS)

const version = (chance: Chance, { objects }: ReadContext): string =>
  chance.weighted([
    [4, () => '0'],
    [objects.length > 0 ? 4 : 0, () => `{rv:${chance.pick(objects)}}`],
    [0.5, () => ''],
    [0.3, () => 'abc'],
    [0.3, () => '-1'],
    [0.2, () => '1'],
  ])()

const LABELS: readonly string[] = [
  'tier=a',
  'tier!=a',
  'tier in (a,b)',
  'tier notin (a)',
  'tier',
  '!tier',
  'app=x,tier=a',
  'tier==b',
  'bad key=1',
  'a in (',
  'tier=a b',
  'n>1',
]

/** The query of a list. */
export function listQuery(chance: Chance, context: ReadContext): string {
  const query: string[] = []
  const selectors = selectorsOf(chance, context)
  if (chance.maybe(0.3)) query.push(`limit=${chance.pick(['1', '2', '500', '0', '-1', 'x'])}`)
  if (context.pages.length > 0 && chance.maybe(0.4))
    return [
      `limit=${chance.pick(['1', '2'])}`,
      `continue={continue:${chance.pick(context.pages)}}`,
      ...selectors,
    ].join('&')
  if (chance.maybe(0.02)) query.push('continue=bm9wZQ')
  if (chance.maybe(0.3)) query.push(`resourceVersion=${version(chance, context)}`)
  if (chance.maybe(0.2))
    query.push(
      `resourceVersionMatch=${chance.pick(['Exact', 'NotOlderThan', 'Exact', 'NotOlderThan', 'Other'])}`,
    )
  if (chance.maybe(0.03)) query.push(`sendInitialEvents=${chance.pick(['true', 'false'])}`)
  if (chance.maybe(0.08))
    query.push(`includeObject=${chance.pick(['Object', 'None', 'Metadata', 'Bad'])}`)
  if (chance.maybe(0.03)) query.push(`timeoutSeconds=${chance.pick(['5', 'x'])}`)
  if (chance.maybe(0.03)) query.push('pretty=true')
  return [...query, ...selectors].join('&')
}

function selectorsOf(chance: Chance, context: ReadContext): string[] {
  const labels = [context.own, ...(chance.maybe(0.25) ? [chance.pick(LABELS)] : [])].filter(
    (it) => it !== '',
  )
  const fields = chance.maybe(0.2)
    ? [
        chance.weighted<() => string>([
          [2, () => `metadata.name=${context.name}`],
          [0.5, () => `metadata.name!=${context.name}`],
          [context.selectors.length > 0 ? 4 : 0, () => chance.pick(context.selectors)],
          [0.5, () => 'spec.nosuch=1'],
          [0.3, () => 'metadata.namespace={ns}'],
          [0.2, () => 'bad'],
        ])(),
      ]
    : []
  return [
    ...(labels.length > 0 ? [`labelSelector=${encoded(labels.join(','))}`] : []),
    ...fields.map((it) => `fieldSelector=${encoded(it)}`),
  ]
}

/** A selector as a query has it; what stands for something else stays as it is. */
const encoded = (selector: string): string =>
  encodeURIComponent(selector).replace(/%7B(ns|x)%7D/g, '{$1}')

/** The query of a watch. */
export function watchQuery(chance: Chance, context: ReadContext): string {
  const query = ['watch=true', 'timeoutSeconds=20']
  const from = chance.weighted<() => readonly string[]>([
    [
      context.objects.length > 0 ? 5 : 0,
      () => [`resourceVersion={rv:${chance.pick(context.objects)}}`],
    ],
    [2, () => ['resourceVersion=0']],
    [1, () => []],
    [
      2,
      () => [
        'sendInitialEvents=true',
        'resourceVersionMatch=NotOlderThan',
        'allowWatchBookmarks=true',
      ],
    ],
    [0.5, () => ['sendInitialEvents=true']],
    [
      0.5,
      () => ['sendInitialEvents=false', 'resourceVersionMatch=NotOlderThan', 'resourceVersion=0'],
    ],
    [0.3, () => ['resourceVersionMatch=Exact', 'resourceVersion=0']],
    [0.3, () => ['resourceVersion=abc']],
    [0.3, () => ['limit=1']],
  ])()
  return [...query, ...from, ...selectorsOf(chance, context)].join('&')
}
