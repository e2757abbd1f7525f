import { startCluster } from '@kubewright/cluster/testing'
import { Namespace } from 'kubewright/kinds/core/v1'
import { median } from './table.ts'

const times: number[] = []
for (let run = 0; run < 6; run++) {
  const began = performance.now()
  const cluster = await startCluster()
  await cluster.client.get(Namespace, 'default')
  times.push(performance.now() - began)
  await cluster.close()
}
console.log(median(times.slice(1)))
