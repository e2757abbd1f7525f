import type { Logger } from 'kubewright/base'
import type { Exchange, Filter } from '../endpoints/exchange.ts'
import type { ServerParts } from '../endpoints/server-parts.ts'
import { answerErrors } from './answer-errors.ts'
import { audit, type AuditOptions, auditRefused } from './audit.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { compression } from './compression.ts'
import { deadline } from './deadline.ts'
import { headers } from './headers.ts'
import { impersonation } from './impersonation.ts'
import { AccessMeter } from '../metrics/access-meter.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import { requestMetrics } from './metrics.ts'

/** The filters of every request, outermost first (apiserver/pkg/server/config.go DefaultBuildHandlerChain). */
export function filterChain(
  parts: ServerParts,
  logger: Logger,
  { requests, access }: ServerMetrics,
  limits: { readonly turns: Filter; readonly requestTimeout?: number },
  written?: AuditOptions,
): readonly Filter[] {
  const meter = new AccessMeter(access, parts.clock)
  const refused = written && ((exchange: Exchange) => auditRefused(written, exchange))
  return [
    requestMetrics(requests, parts.clock),
    headers,
    answerErrors(logger),
    deadline(parts.clock, limits.requestTimeout),
    compression,
    authentication(parts.authentication, meter, refused),
    ...(written ? [audit(written)] : []),
    impersonation(parts.authorizer),
    limits.turns,
    authorization(parts.authorizer, meter),
  ]
}
