import { controller, type ControllerDefinition } from 'kubewright/controller'
import { ConfigMap, Namespace, ServiceAccount } from 'kubewright/kinds/core/v1'
import { isAlreadyExists, isNotFound } from 'kubewright/machinery'
import { AS_CONTROLLER, isNamespaceEnding } from '../workload/writes.ts'

const DEFAULT = 'default'
const ROOT_CA = 'kube-root-ca.crt'
const DESCRIPTION = 'kubernetes.io/description'
const ROOT_CA_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.'

/** What is no error in a namespace that is ending, or when somebody else was first. */
const isHarmless = (error: unknown): boolean =>
  isNamespaceEnding(error) || isAlreadyExists(error) || isNotFound(error)

/** Gives every namespace the service account `default` (kubernetes/pkg/controller/serviceaccount). */
export function serviceAccountController(): ControllerDefinition {
  return controller(Namespace, { name: 'serviceaccount-controller', pace: false, resync: 0 })
    .watches(ServiceAccount, (it) => [it.metadata.namespace!], {
      where: ({ type, object }) => type === 'delete' && object.metadata.name === DEFAULT,
    })
    .reconcile(async ({ metadata: { name: namespace } }, { lister, client }) => {
      const key = { namespace: namespace!, name: DEFAULT }
      if (lister(ServiceAccount).get(key)) return
      try {
        await client.create(ServiceAccount, { metadata: key }, AS_CONTROLLER)
      } catch (error) {
        if (!isHarmless(error)) throw error
      }
    })
}

/** Gives every namespace the certificate of the API server (kubernetes/pkg/controller/certificates/rootcacertpublisher). */
export function rootCertificateController(certificate: () => string): ControllerDefinition {
  return controller(Namespace, { name: 'root-ca-certificate-publisher', pace: false, resync: 0 })
    .watches(ConfigMap, (it) => [it.metadata.namespace!], {
      where: ({ object }) => object.metadata.name === ROOT_CA,
    })
    .reconcile(async ({ metadata: { name: namespace } }, { lister, client }) => {
      const key = { namespace: namespace!, name: ROOT_CA }
      const there = lister(ConfigMap).get(key)
      const data = { 'ca.crt': certificate() }
      const annotations = { [DESCRIPTION]: ROOT_CA_TEXT }
      if (there?.data?.['ca.crt'] === data['ca.crt']) return
      try {
        if (there) {
          const metadata = {
            ...there.metadata,
            annotations: { ...there.metadata.annotations, ...annotations },
          }
          await client.update(ConfigMap, { ...there, metadata, data }, AS_CONTROLLER)
        } else {
          await client.create(ConfigMap, { metadata: { ...key, annotations }, data }, AS_CONTROLLER)
        }
      } catch (error) {
        if (!isHarmless(error)) throw error
      }
    })
}
