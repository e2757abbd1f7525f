import { writeFile } from 'node:fs/promises'

/** Shows what was measured as a table, and keeps its rows as JSON where a file is named. */
export async function tell(
  table: string,
  rows: readonly unknown[],
  file: string | undefined,
): Promise<void> {
  console.log(table)
  if (file) await writeFile(file, `${JSON.stringify(rows, undefined, 2)}\n`)
}
