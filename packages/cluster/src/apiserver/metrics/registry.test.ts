import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MetricRegistry } from './registry.ts'

test('families are told in the text format of Prometheus', async () => {
  const registry = new MetricRegistry()
  const sizes = registry.histogram({ name: 'b_sizes', help: 'H', labels: ['x'], bounds: [1, 1e6] })
  registry.counter({ name: 'a_total', help: '[STABLE] T' }).add()
  const gauge = registry.gauge({ name: 'c', help: 'G', labels: ['y'] })
  registry.beforeText(() => gauge.set(-1, ['q"\\\n']))
  sizes.observe(1, ['v'])
  sizes.observe(2_000_000, ['v'])
  assert.equal(
    await registry.text(),
    [
      '# HELP a_total [STABLE] T',
      '# TYPE a_total counter',
      'a_total 1',
      '# HELP b_sizes H',
      '# TYPE b_sizes histogram',
      'b_sizes_bucket{x="v",le="1"} 1',
      'b_sizes_bucket{x="v",le="1e+06"} 1',
      'b_sizes_bucket{x="v",le="+Inf"} 2',
      'b_sizes_sum{x="v"} 2000001',
      'b_sizes_count{x="v"} 2',
      '# HELP c G',
      '# TYPE c gauge',
      'c{y="q\\"\\\\\\n"} -1',
      '',
    ].join('\n'),
  )
})

test('a histogram counts what a sorted list counts', () => {
  fc.assert(
    fc.asyncProperty(fc.array(fc.float({ min: 0, max: 100, noNaN: true })), async (values) => {
      const registry = new MetricRegistry()
      const bounds = [0.5, 10, 50]
      const family = registry.histogram({ name: 'h', help: '', bounds })
      for (const it of values) family.observe(it)
      const text = await registry.text()
      if (values.length === 0) return assert.equal(text, '')
      for (const bound of bounds) {
        const below = values.filter((it) => it <= bound).length
        assert.ok(text.includes(`h_bucket{le="${bound}"} ${below}\n`))
      }
      assert.ok(text.includes(`h_count ${values.length}\n`))
    }),
  )
})
