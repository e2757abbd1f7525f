import { controller, type ControllerDefinition } from 'kubewright/controller'
import { ValidatingAdmissionPolicy } from 'kubewright/kinds/admissionregistration.k8s.io/v1'
import { KindTypes, resourcesOf } from './schemas.ts'
import { typeWarnings } from './type-check.ts'

const NAME = 'validatingadmissionpolicy-status'

/** Checks the expressions of ValidatingAdmissionPolicies against the types of what they are about (kubernetes/pkg/controller/validatingadmissionpolicystatus). */
export function policyStatusController(): ControllerDefinition {
  return controller(ValidatingAdmissionPolicy, { name: NAME, pace: false, resync: 0 }).reconcile(
    async (policy, { client }) => {
      const { generation = 0, name = '' } = policy.metadata
      if (generation <= (policy.status?.observedGeneration ?? 0)) return
      const types = new KindTypes(client)
      const expressionWarnings = await typeWarnings(policy, {
        resources: () => resourcesOf(client),
        typeOf: (kind) => types.typeOf(kind),
      })
      const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {}
      await client.apply(
        ValidatingAdmissionPolicy,
        { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
        { fieldOwner: NAME, force: true, subresource: 'status' },
      )
    },
  )
}
