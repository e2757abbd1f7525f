import type { Pod } from 'kubewright/kinds/core/v1'
import type { NodeInfo } from '../node-info.ts'
import type { Plugin } from '../plugin.ts'
import { imagesOf, type World } from '../world.ts'

const MEGABYTE = 1024 * 1024
const LEAST = 23 * MEGABYTE
const MOST_OF_ONE = 1000 * MEGABYTE

/** Likes nodes that have a pod's images, the larger the better, the less the fewer nodes have them (plugins/imagelocality). */
export const imageLocality: Plugin = {
  name: 'ImageLocality',
  score: ({ pod }, world, nodes) => {
    const images = imagesFor(pod).filter((it) => world.nodesWithImage(it) > 0)
    if (images.length === 0) return undefined
    const containers = pod.spec.containers.length + (pod.spec.initContainers?.length ?? 0)
    const most = MOST_OF_ONE * containers
    return nodes.map((it) => {
      const bytes = Math.min(most, Math.max(LEAST, bytesThere(images, it, world)))
      return Math.trunc((100 * (bytes - LEAST)) / (most - LEAST))
    })
  },
}

function imagesFor({ spec }: Pod): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers].map((it) => it.image)
  const volumes = (spec.volumes ?? []).map((it) => it.image?.reference)
  return [...containers, ...volumes].filter((it) => it !== undefined).map(withTag)
}

const withTag = (image: string): string =>
  image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image

function bytesThere(images: readonly string[], { node }: NodeInfo, world: World): number {
  const there = imagesOf(node)
  return images.reduce((sum, name) => {
    const spread = world.nodesWithImage(name) / world.nodes.length
    return sum + Math.trunc((there.get(name) ?? 0) * spread)
  }, 0)
}
