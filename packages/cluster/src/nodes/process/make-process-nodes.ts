import { nodeSpecs } from '../nodes.ts'
import type { ProcessNodes, ProcessNodesOptions } from './process-nodes.ts'

/**
 * Makes the ground for the process nodes among a cluster's nodes. Undefined where there are none: what they are made of is loaded for
 * those who want some, and not at every start. Rejects with a sentence where this machine has none to offer.
 */
export async function makeProcessNodes(
  options: ProcessNodesOptions,
): Promise<ProcessNodes | undefined> {
  if (!nodeSpecs(options).some(({ option }) => option.process !== undefined)) return undefined
  const { openProcessNodes } = await import('./process-nodes.ts')
  return openProcessNodes(options)
}
