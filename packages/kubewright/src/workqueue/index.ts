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
  type Reason,
  type QueueEntry,
  FAIR_EVERY,
  newQueue,
  stepQueue,
  reasonText,
} from './queue-machine.ts'
