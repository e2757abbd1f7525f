import { timeText } from 'kubewright/machinery'
import type { StrategyContext } from '../strategy.ts'

/** The time of the context as Kubernetes writes times: whole seconds in UTC. */
export const nowText = (context: StrategyContext): string => timeText(context.clock.now())
