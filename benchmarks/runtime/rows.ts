import type { Peer } from './peers.ts'

/** The median of one figure of one peer on one server. */
export interface Measured {
  readonly server: string
  readonly peer: string
  readonly name: string
  readonly value: number
}

/** One line of the table: ours beside one peer's. `ratio` is ours / theirs: below 1 is ours better. */
export interface Row {
  readonly name: string
  readonly server: string
  readonly peer: string
  readonly unit: string
  readonly ours: number
  readonly theirs: number | null
  readonly ratio: number | null
}

const UNITS: readonly (readonly [suffix: string, unit: string])[] = [
  ['-cpu', 'ms CPU an object'],
  ['-ms', 'ms'],
  ['-rss', 'MiB'],
  ['-size', 'MiB'],
]

const unitOf = (name: string): string => UNITS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? ''

const round = (value: number): number => Number(value.toPrecision(3))

/** Ours beside each peer, figure by figure; a figure that only ours has stands alone. */
export function rowsOf(measured: readonly Measured[], peers: readonly Peer[]): readonly Row[] {
  const sizes = peers.map(({ name, installSize }) => ({
    server: '',
    peer: name,
    name: 'install-size',
    value: installSize,
  }))
  const all = [...measured, ...sizes]
  const others = peers.map((it) => it.name).filter((it) => it !== 'kubewright')
  return all
    .filter((it) => it.peer === 'kubewright')
    .flatMap((ours) => {
      const beside = others.flatMap((peer) => {
        const theirs = all.find(
          (it) => it.peer === peer && it.name === ours.name && it.server === ours.server,
        )
        return theirs ? [rowOf(ours, peer, theirs.value)] : []
      })
      return beside.length > 0 ? beside : [rowOf(ours, '', null)]
    })
}

function rowOf(ours: Measured, peer: string, theirs: number | null): Row {
  return {
    name: ours.name,
    server: ours.server,
    peer,
    unit: unitOf(ours.name),
    ours: round(ours.value),
    theirs: theirs === null ? null : round(theirs),
    ratio: theirs === null ? null : round(ours.value / theirs),
  }
}

/** The rows as aligned text. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [
    ['benchmark', 'server', 'unit', 'kubewright', 'peer', 'theirs', 'ours / theirs'],
    ...rows.map((it) => [
      it.name,
      it.server,
      it.unit,
      String(it.ours),
      it.peer,
      it.theirs === null ? '-' : String(it.theirs),
      it.ratio === null ? '-' : String(it.ratio),
    ]),
  ]
  const widths = cells[0]!.map((_, column) =>
    Math.max(...cells.map((line) => line[column]!.length)),
  )
  return cells.map((line) => line.map((it, at) => it.padEnd(widths[at]!)).join('  ')).join('\n')
}
