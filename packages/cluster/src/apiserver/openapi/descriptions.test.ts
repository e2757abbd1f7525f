import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinResources, definitionName } from '../resources/builtins.ts'
import { declaredTexts } from './declared-texts.ts'
import { Descriptions } from './descriptions.ts'

const SOURCE = `import * as other from "../other"
/** A lone line. */
export interface Cup {
    /** how much it holds */
    size?: number;
    /**
     * What it is made of.
     *
     *  - glass
     */
    "made-of": string;
    untold: boolean;
    /** not } the end */
    handle: {
        /** deeper */
        size: number;
    };
}
export interface Untold {
    kind: "Untold";
}
/**
 * A moment.
 *
 * In UTC.
 */
export type Time = string;
export const cup = 1
`

test('comments of types and of their fields', () => {
  assert.deepEqual(declaredTexts(SOURCE), {
    Cup: {
      text: 'A lone line.',
      fields: {
        size: 'how much it holds',
        'made-of': 'What it is made of.\n\n - glass',
        handle: 'not } the end',
      },
    },
    Untold: { fields: {} },
    Time: { text: 'A moment.\n\nIn UTC.', fields: {} },
  })
})

test('a schema is described, and what it says itself stays', () => {
  const descriptions = new Descriptions((path) => (path === 'core/v1' ? SOURCE : undefined))
  const schema = {
    type: 'object',
    properties: { size: { type: 'integer' }, handle: { description: 'own' }, constructor: {} },
  }
  assert.deepEqual(descriptions.describe('io.k8s.api.core.v1.Cup', schema), {
    description: 'A lone line.',
    type: 'object',
    properties: {
      size: { description: 'how much it holds', type: 'integer' },
      handle: { description: 'own' },
      constructor: {},
    },
  })
  assert.equal(descriptions.describe('io.k8s.api.core.v1.Plate', schema), schema)
  assert.equal(descriptions.describe('io.k8s.api.apps.v1.Cup', schema), schema)
  assert.equal(descriptions.describe('com.example.v1.Cup', schema), schema)
})

test('nearly every kind that is served has a description in the published package', () => {
  const descriptions = new Descriptions()
  const kinds = builtinResources().map((it) => definitionName(it)!)
  const without = [...new Set(kinds)].filter((it) => !descriptions.of(it)?.text)
  // Younger than the package, or left out of it.
  const known =
    /\.(resource\.v1|networking\.v1\.(IPAddress|ServiceCIDR)|apiregistration\.v1)|Mutating.*Policy|VolumeAttributesClass/
  assert.deepEqual(
    without.filter((it) => !known.test(it)),
    [],
  )
})
