import assert from 'node:assert/strict'
import test from 'node:test'
import { AUTOSCALERS } from './autoscalers.ts'

test('an autoscaler of v1 shows the metrics that it keeps in an annotation', () => {
  const metrics = [{ type: 'Pods', pods: { metricName: 'm', targetAverageValue: '1' } }]
  const autoscaler = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata: {
      name: 'x',
      annotations: { 'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(metrics) },
    },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, minReplicas: 1, maxReplicas: 5 },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  }
  const printer = AUTOSCALERS['autoscaling/v1/horizontalpodautoscalers']!
  assert.deepEqual(printer.cells(autoscaler as never, 0).slice(1, 4), [
    'Deployment/d',
    '<unknown>/1',
    '1',
  ])
})
