/** One line of the benchmark table. `peer` and `ratio` are null where there is no peer to compare with; ratio above 1 is ours better. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly ours: number
  readonly peer: number | null
  readonly ratio: number | null
}

/** Makes a {@link Row} of the medians of several runs. */
export function row(
  name: string,
  unit: string,
  ours: readonly number[],
  peer: readonly number[] | null,
  better: 'less' | 'more',
): Row {
  const mine = round(median(ours))
  const theirs = peer && peer.length ? round(median(peer)) : null
  const ratio = theirs === null ? null : round(better === 'less' ? theirs / mine : mine / theirs)
  return { name, unit, ours: mine, peer: theirs, ratio }
}

/** The middle value; the mean of the two in the middle where there are two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length / 2
  return sorted.length % 2 ? sorted[Math.floor(half)]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const round = (value: number): number => Number(value.toPrecision(3))

/** The rows as aligned text. */
export function tableText(rows: readonly Row[]): string {
  const cells = [
    ['benchmark', 'unit', 'kubewright', 'peer', 'ratio'],
    ...rows.map((it) => [
      it.name,
      it.unit,
      String(it.ours),
      it.peer === null ? '-' : String(it.peer),
      it.ratio === null ? '-' : `${it.ratio}×`,
    ]),
  ]
  const widths = cells[0]!.map((_, column) =>
    Math.max(...cells.map((line) => line[column]!.length)),
  )
  const aligned = cells.map((line) =>
    line.map((text, i) => (i < 2 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  '),
  )
  return aligned.join('\n')
}
