import type { DeclaredKind } from 'kubewright'
import { stringify } from 'yaml'
import type { Project } from '../project.ts'
import type { Files } from '../scaffold/write-files.ts'
import type { App } from './load-app.ts'
import { rbacObjects, rulesFor } from './rbac.ts'
import { kindRoles } from './kind-roles.ts'
import { sampleOf } from './samples.ts'

/** What `generate` writes: files that it owns, and samples that are the author's once they are there. */
export interface Manifests {
  readonly owned: Files
  readonly samples: Files
}

/** The manifests that follow from an operator's code, by their path below the project's root. */
export function manifestsOf(project: Project, app: App): Manifests {
  const crds = app.kinds.map((it): [string, string] => [
    `config/crd/${it.group}_${it.plural}.yaml`,
    yamlOf(it.crd()),
  ])
  const rbac = [
    ...Object.entries(rbacObjects(project.projectName, rulesFor(app.controllers, app.permissions))),
    ...Object.entries(kindRoles(project.projectName, app.kinds)),
  ]
  const samples = app.kinds.map((it): [string, string] => [
    samplePath(it, project.domain),
    yamlOf(sampleOf(it, project.projectName)),
  ])
  return {
    owned: {
      ...Object.fromEntries(crds),
      'config/crd/kustomization.yaml': kustomization(
        crds.map(([name]) => name.replace('config/crd/', '')),
      ),
      ...Object.fromEntries(rbac.map(([name, object]) => [`config/rbac/${name}`, yamlOf(object)])),
      'config/rbac/kustomization.yaml': kustomization(rbac.map(([name]) => name)),
    },
    samples: Object.fromEntries(samples),
  }
}

/** The text of a kustomization.yaml over files beside it. */
export function kustomization(resources: readonly string[]): string {
  return yamlOf({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
  })
}

/** `config/samples/cache_v1alpha1_memcached.yaml`: the group without its domain, as kubebuilder names it. */
function samplePath(kind: DeclaredKind, domain: string): string {
  const group =
    kind.group === domain
      ? ''
      : kind.group.replace(new RegExp(`\\.${domain.replaceAll('.', '\\.')}$`), '')
  return `config/samples/${[group, kind.version, kind.kind.toLowerCase()].filter(Boolean).join('_')}.yaml`
}

/** An object as YAML: keys as they are given, long strings unfolded. */
export function yamlOf(object: object): string {
  return `---\n${stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, singleQuote: true })}`
}
