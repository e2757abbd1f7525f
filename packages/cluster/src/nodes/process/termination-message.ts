import { readFile } from 'node:fs/promises'
import type { Container } from 'kubewright/kinds/core/v1'
import { readLog } from './log/read-log.ts'

/** How much of its own file a container may leave behind, and how much of its log is taken instead, in bytes and lines (kuberuntime). */
const MOST_OF_FILE = 4096
const MOST_OF_LOG = 2048
const LINES_OF_LOG = 80

/** The last words of a container: what it wrote into its file, or where its policy says so and it failed, the end of its log. */
export async function terminationMessage(
  { terminationMessagePolicy = 'File' }: Container,
  file: string,
  log: string,
  exitCode: number,
): Promise<string> {
  const own = await readFile(file).catch(() => Buffer.alloc(0))
  if (own.length > 0) return own.subarray(0, MOST_OF_FILE).toString('utf8')
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return ''
  const chunks: Uint8Array[] = []
  for await (const chunk of readLog(log, undefined, { tailLines: LINES_OF_LOG })) chunks.push(chunk)
  return Buffer.concat(chunks).subarray(-MOST_OF_LOG).toString('utf8')
}
