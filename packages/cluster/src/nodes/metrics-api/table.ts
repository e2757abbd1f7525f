import type { ApiRequest } from '../../apiserver/index.ts'
import type { Metrics } from './metrics-api.ts'

/** Whether a client wants rows to print, as `kubectl get` does. */
export const wantsTable = (request: ApiRequest): boolean =>
  (request.header('accept') ?? '').includes('as=Table')

const column = (name: string, type = 'string', format = ''): object => ({
  name,
  type,
  format,
  description: '',
  priority: 0,
})

/** Measurements as rows, as a metrics-server prints them. */
export const asTable = (all: readonly Metrics[]): object => ({
  kind: 'Table',
  apiVersion: 'meta.k8s.io/v1',
  metadata: {},
  columnDefinitions: [
    column('Name', 'string', 'name'),
    column('cpu'),
    column('memory'),
    column('Window', 'string', 'duration'),
  ],
  rows: all.map((it) => ({
    cells: [it.metadata.name, total(it, 'cpu', 'n'), total(it, 'memory', 'Ki'), it.window],
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: it.metadata,
    },
  })),
})

function total({ usage, containers = [] }: Metrics, what: 'cpu' | 'memory', unit: string): string {
  const all = usage ? [usage] : containers.map((it) => it.usage)
  return `${all.reduce((sum, it) => sum + Number.parseInt(it[what], 10), 0)}${unit}`
}
