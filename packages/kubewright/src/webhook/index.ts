// Webhooks
export {
  type WebhookDefinition,
  type Defaulter,
  type Validator,
  type ValidationRequest,
  type ValidationAnswer,
  type Admission,
  type Admitter,
  admitting,
  defaulting,
  validating,
  converting,
  pathOf,
} from './webhooks.ts'
export { type Conversion, type Spoke, spoke } from './conversion-review.ts'
export { type AdmissionRequest, type AdmissionResponse } from './admission-review.ts'
// Serving them
export { type WebhookHandlerOptions, webhookHandler } from './webhook-handler.ts'
export { type Served, type ServeOptions, type ServingCertificate, serve } from './serve.ts'
export { type CertificateFiles, readCertificate, watchCertificate } from './certificate-files.ts'
export { type IssuedCertificateOptions } from './issued-certificate.ts'
export { type CertificateKeeperParts, keepCertificate } from './keep-certificate.ts'
export { selfSigned } from './self-signed.ts'
export { type JsonPatchOperation, jsonDiff } from './json-diff.ts'
