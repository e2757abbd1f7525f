import type { Sequence, Step } from '../step.ts'

const MAPS = '/api/v1/namespaces/{ns}/configmaps'

const create = (id: string, labels: object = {}): Step => ({
  id,
  ask: `POST ${MAPS}`,
  body: { metadata: { name: id, labels }, data: { k: id } },
})

const FOUR: readonly Step[] = [
  create('a', { tier: 'x' }),
  create('b', { tier: 'y' }),
  create('c', { tier: 'x' }),
  create('d'),
]

/** Lists, pages, watches, and what they may be asked. */
export const READS: readonly Sequence[] = [
  {
    title: 'pages, one after the other, of one moment',
    steps: [
      ...FOUR,
      { id: 'one', ask: `GET ${MAPS}?limit=2` },
      { ask: `DELETE ${MAPS}/c` },
      { id: 'two', ask: `GET ${MAPS}?limit=1&continue={continue:one}` },
      { ask: `GET ${MAPS}?limit=5&continue={continue:two}` },
      { ask: `GET ${MAPS}?continue={continue:one}&resourceVersion={rv:a}` },
      { ask: `GET ${MAPS}?continue={continue:one}&resourceVersionMatch=Exact` },
    ],
  },
  {
    title: 'pages of what a selector picks are not counted',
    steps: [
      ...FOUR,
      { id: 'one', ask: `GET ${MAPS}?limit=1&labelSelector=tier%3Dx` },
      { ask: `GET ${MAPS}?limit=1&labelSelector=tier%3Dx&continue={continue:one}` },
      { ask: `GET ${MAPS}?fieldSelector=metadata.name%3Db` },
      { ask: `GET ${MAPS}?fieldSelector=data.k%3Db` },
    ],
  },
  {
    title: 'lists of the past and of what is not older',
    steps: [
      ...FOUR,
      { ask: `GET ${MAPS}?resourceVersion={rv:b}&resourceVersionMatch=Exact` },
      { ask: `GET ${MAPS}?resourceVersion={rv:b}&resourceVersionMatch=NotOlderThan` },
      { ask: `GET ${MAPS}?resourceVersion=0` },
      { ask: `GET ${MAPS}?resourceVersion=0&resourceVersionMatch=Exact` },
      { ask: `GET ${MAPS}?resourceVersionMatch=NotOlderThan` },
      { ask: `GET ${MAPS}?resourceVersion=1&resourceVersionMatch=Perhaps` },
      { ask: `GET ${MAPS}?sendInitialEvents=true` },
    ],
  },
  {
    title: 'a watch from a version tells all that came after',
    steps: [
      create('a', { tier: 'x' }),
      { ask: `WATCH ${MAPS}?watch=true&resourceVersion={rv:a}` },
      { ask: `WATCH ${MAPS}?watch=true&resourceVersion={rv:a}&labelSelector=tier%3Dx` },
      create('b', { tier: 'x' }),
      { ask: `PATCH ${MAPS}/a`, type: 'merge', body: { metadata: { labels: { tier: 'y' } } } },
      { ask: `PATCH ${MAPS}/a`, type: 'merge', body: { metadata: { labels: { tier: 'x' } } } },
      { ask: `DELETE ${MAPS}/b` },
    ],
  },
  {
    title: 'a watch begins with what is there, and says where that ends',
    steps: [
      create('a'),
      {
        ask: `WATCH ${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      },
      {
        ask: `WATCH ${MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        accept: 'metadata',
      },
      { ask: `WATCH ${MAPS}?watch=true&resourceVersion=0`, accept: 'table' },
      create('b'),
    ],
  },
  {
    title: 'tables and metadata, of one and of many',
    steps: [
      ...FOUR.slice(0, 2),
      { ask: `GET ${MAPS}`, accept: 'table' },
      { ask: `GET ${MAPS}?includeObject=Object&limit=1`, accept: 'table' },
      { ask: `GET ${MAPS}/a?includeObject=None`, accept: 'table' },
      { ask: `GET ${MAPS}/a?includeObject=All`, accept: 'table' },
      { ask: `GET ${MAPS}/a`, accept: 'metadata' },
      { ask: `GET ${MAPS}`, accept: 'metadatalist' },
      { ask: `GET ${MAPS}`, accept: 'yaml' },
      { ask: `GET ${MAPS}/missing`, accept: 'yaml' },
    ],
  },
]
