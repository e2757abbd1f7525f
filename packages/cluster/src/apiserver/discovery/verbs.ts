import type { ResourceInfo, Verb } from '../resources/resource.ts'

/** The order in which discovery lists the verbs of a custom resource (apiextensions-apiserver customresource_discovery_controller.go). */
const CUSTOM_ORDER: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]

/** The verbs of a resource in the order of discovery: by the alphabet for a built-in one. */
export function verbsInOrder(info: ResourceInfo): readonly Verb[] {
  return info.custom ? CUSTOM_ORDER.filter((it) => info.verbs.includes(it)) : info.verbs
}
