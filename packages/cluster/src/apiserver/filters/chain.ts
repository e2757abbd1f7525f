import type { Logger } from 'kubewright/base'
import type { Filter } from '../endpoints/exchange.ts'
import type { ServerParts } from '../endpoints/server-parts.ts'
import { answerErrors } from './answer-errors.ts'
import { authentication } from './authentication.ts'
import { authorization } from './authorization.ts'
import { compression } from './compression.ts'
import { deadline } from './deadline.ts'
import { headers } from './headers.ts'
import { impersonation } from './impersonation.ts'
import type { RequestMetrics } from './metrics.ts'

/** The filters of every request, outermost first (apiserver/pkg/server/config.go DefaultBuildHandlerChain). */
export function filterChain(
  parts: ServerParts,
  logger: Logger,
  metrics: RequestMetrics,
): readonly Filter[] {
  return [
    metrics.filter,
    headers,
    answerErrors(logger),
    deadline(parts.clock),
    compression,
    authentication(parts.authenticateToken),
    impersonation(parts.authorizer),
    authorization(parts.authorizer),
  ]
}
