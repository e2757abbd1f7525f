import { createApiServer } from '@kubewright/cluster/apiserver'

// Kubewright's API server alone, with everything that is on by default, until it is told to stop. Prints where it listens.
const server = createApiServer({
  adminToken: process.env['TOKEN'] ?? '',
  // As for the real one: one client asks as fast as it can.
  limits: { fairness: false, maxRequests: 100_000, maxMutatingRequests: 100_000 },
})
const { url } = await server.listen()
console.log(url)
process.once('SIGTERM', () => {
  void server.close().then(() => process.exit(0))
})
