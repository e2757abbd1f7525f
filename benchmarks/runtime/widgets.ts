import { kindOf, type Kind } from 'kubewright'
import type { KubeObject } from 'kubewright/machinery'
import type { CustomResourceDefinition } from 'kubewright/kinds/apiextensions.k8s.io/v1'

/** The custom resource of the bench, as whoever loads the server sees it. */
export interface Widget extends KubeObject {
  readonly spec: { readonly replicas: number; readonly text: Readonly<Record<string, string>> }
  readonly status?: { readonly replicas?: number }
}

export const Widget: Kind<Widget> = kindOf<Widget>(
  'bench.kubewright.dev/v1',
  'Widget',
  'widgets',
  'Namespaced',
)

const integer = { type: 'integer', format: 'int64' }

/** Its definition. */
export const DEFINITION: Omit<CustomResourceDefinition, 'apiVersion' | 'kind'> = {
  metadata: { name: 'widgets.bench.kubewright.dev' },
  spec: {
    group: 'bench.kubewright.dev',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: integer,
                  text: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
              status: { type: 'object', properties: { replicas: integer } },
            },
          },
        },
      },
    ],
  },
}

/** Sixteen texts of seventy characters: with its metadata and managed fields such a Widget has some 2 KB of JSON. */
export function text(seed: number): Record<string, string> {
  const line = (at: number): string =>
    `${(seed * 31 + at * 7).toString(36)} `.repeat(40).slice(0, 70)
  return Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`line-${at}`, line(at)]))
}

/** A Widget's name. */
export const nameOf = (at: number): string => `widget-${String(at).padStart(6, '0')}`

/** Where the widgets that are only mirrored live. */
export const SEEDED = 'seeded'
/** Where those that are reconciled live. */
export const RECONCILED = 'reconciled'
