export {
  type Workqueue,
  type WorkqueueOptions,
  type AddOptions,
  createWorkqueue,
} from './workqueue.ts'
export {
  type QueueState,
  type QueueInput,
  type QueueOutput,
  type Taken,
  FAIR_EVERY,
  newQueue,
  stepQueue,
} from './queue-machine.ts'
