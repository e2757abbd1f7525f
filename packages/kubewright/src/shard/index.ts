/**
 * Replicas of one operator share its work: each holds some of the partitions into which the objects are divided by the hash of their
 * uid, says by a Lease of its own that it lives, and hands partitions over through one more Lease that carries the map of all holders.
 *
 * In: a client, a clock. Out: which objects are this replica's (an Ownership for controllers), and a fence for its writes. No object is
 * ever worked on by two replicas; see machine.ts for what that rests on.
 */
export {
  type ShardOptions,
  type ShardParts,
  type Shards,
  ShardsLostError,
  runShards,
} from './run-shards.ts'
export { type Owners, planShards } from './plan.ts'
export { partitionOf, rangesOf, shardSelectorOf } from './partition.ts'
export {
  type ShardState,
  type ShardInput,
  type ShardStep,
  type ShardTimes,
  mayWork,
  newShards,
  stepShards,
} from './machine.ts'
