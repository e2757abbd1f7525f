import { nodesOf, type PlaneOptions, planeOf } from './kubewright-plane.ts'

/** What controllers beside a server are told, as JSON. */
export interface ControllersOptions extends PlaneOptions {
  /** Whose server, and as whom. */
  readonly kubeconfig: string
}

// Kubewright's controllers and nodes for a server elsewhere, until SIGTERM: `node kubewright-controllers.ts OPTIONS_AS_JSON`.
const options = JSON.parse(process.argv[2] ?? '{}') as ControllersOptions
const { parts } = await nodesOf(options)
const plane = await planeOf(options, parts(0))
const running = await plane.start({ kubeconfig: options.kubeconfig, cache: { freeze: false } })
process.once('SIGTERM', () => {
  void running.stop().then(() => process.exit(0))
})
