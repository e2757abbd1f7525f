import { VERSION } from '../version.ts'
import type { Files } from './write-files.ts'

/** Where `create api` adds lines to src/app.ts. */
export const IMPORTS_MARKER: string = '// +kubewright:scaffold:imports'
/** Where `create api` adds controllers to the manager. */
export const CONTROLLERS_MARKER: string = '  // +kubewright:scaffold:controllers'

/** The files of a project without any API. */
export function projectFiles(projectName: string): Files {
  return {
    'package.json': packageJson(projectName),
    'tsconfig.json': TSCONFIG,
    '.gitignore': 'node_modules\n.kubewright\n*.log\n',
    'README.md': readme(projectName),
    'src/app.ts': app(projectName),
    'src/main.ts': MAIN,
  }
}

function packageJson(name: string): string {
  const version = `^${VERSION}`
  const json = {
    name,
    version: '0.0.1',
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      generate: 'kubewright generate',
      start: 'kubewright run',
      test: 'tsc && node --test',
    },
    dependencies: { kubewright: version },
    devDependencies: {
      '@kubewright/cli': version,
      '@kubewright/cluster': version,
      '@types/node': '^26.6.7',
      typescript: '^7.0.2',
    },
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: 'es2024',
      lib: ['es2024', 'esnext'],
      module: 'nodenext',
      types: ['node'],
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    include: ['src', 'test'],
  },
  undefined,
  2,
)}\n`

const app = (name: string): string => `import { manager, type Manager } from 'kubewright'
${IMPORTS_MARKER}

/** The operator: every controller that it runs. */
export const app: Manager = manager({ name: '${name}' }).add(
${CONTROLLERS_MARKER}
)
`

const MAIN = `import { app } from './app.ts'

await app.run()
`

const readme = (name: string): string => `# ${name}

An operator for Kubernetes, written in TypeScript with kubewright.

    npm install
    npx kubewright create api --group GROUP --version v1 --kind KIND
    npx kubewright generate          # CRDs, RBAC and samples from the code, into config/
    npx kubewright cluster start     # a control plane on this machine, in one process
    npx kubewright install           # the CRDs into the cluster
    npx kubewright run               # the operator, on this machine, against the cluster
    npm test

\`kubewright install\` and \`run\` take \`--kubeconfig\`, then \`$KUBECONFIG\`, then the cluster that \`cluster start\` made in this folder,
then \`~/.kube/config\`.
`
