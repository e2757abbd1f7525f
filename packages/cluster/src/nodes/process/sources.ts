import type { Listers } from 'kubewright/controller'
import type { Kind } from 'kubewright/machinery'
import {
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  Secret,
  Service,
} from 'kubewright/kinds/core/v1'
import type { EnvironmentSources } from './environment/environment.ts'
import type { PodPlace } from './environment/fields.ts'
import type { VolumePlaces } from './volume/make-volume.ts'

/** The kinds that a node reads for its pods. */
export const SOURCE_KINDS: readonly Kind[] = [
  ConfigMap,
  Secret,
  Service,
  PersistentVolume,
  PersistentVolumeClaim,
]

/** Where the variables of containers in a namespace come from. `service` shows a service as pods are to see it. */
export function environmentSources(
  listers: Listers,
  namespace: string,
  place: PodPlace,
  service: (it: Service) => Service,
): EnvironmentSources {
  return {
    ...place,
    configMap: (name) => listers.lister(ConfigMap).get({ namespace, name }),
    secret: (name) => listers.lister(Secret).get({ namespace, name }),
    services: listers.lister(Service).list().map(service),
  }
}

/** What volumes of pods in a namespace are made of. */
export function volumeSources(
  listers: Listers,
  namespace: string,
): Pick<VolumePlaces, 'configMap' | 'secret' | 'claim' | 'volume'> {
  return {
    configMap: (name) => listers.lister(ConfigMap).get({ namespace, name }),
    secret: (name) => listers.lister(Secret).get({ namespace, name }),
    claim: (name) => listers.lister(PersistentVolumeClaim).get({ namespace, name }),
    volume: (name) => listers.lister(PersistentVolume).get({ name }),
  }
}
