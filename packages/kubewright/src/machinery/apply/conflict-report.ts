import { printManager } from './manager-identity.ts'
import type { Conflict } from './managers.ts'
import { printPath } from './path-element.ts'

/** What a conflicting apply is answered with: the message and the causes of a 409 Status of reason Conflict. */
export interface ConflictReport {
  readonly message: string
  readonly causes: readonly ConflictCause[]
}

/** One field that another manager owns, as a cause of a Status. */
export interface ConflictCause {
  readonly reason: 'FieldManagerConflict'
  readonly message: string
  readonly field: string
}

/** Kubernetes' words for conflicts. Source: apimachinery managedfields/internal/conflict.go. */
export function reportConflicts(conflicts: readonly Conflict[]): ConflictReport {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict' as const,
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }))
  return { message: messageOf(conflicts), causes }
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts
  if (first && conflicts.length === 1) {
    const { manager, path } = first
    return `Apply failed with 1 conflict: conflict with ${printManager(manager)}: ${printPath(path)}`
  }
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].sort()
  const lines = managers.flatMap((manager) => [
    `conflicts with ${printManager(manager)}:`,
    ...conflicts.filter((c) => c.manager === manager).map(({ path }) => `- ${printPath(path)}`),
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}
