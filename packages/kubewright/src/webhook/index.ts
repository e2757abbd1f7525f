export { type Served, type ServeOptions, type ServingCertificate, serve } from './serve.ts'
export { selfSigned } from './self-signed.ts'
