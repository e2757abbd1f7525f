/** Sources besides the events of a kind: what else can ask for objects to be reconciled. */
export { type Channel, type ChannelOptions, channel } from './channel.ts'
export { type CronOptions, cron } from './cron.ts'
export { type PollingOptions, polling } from './polling.ts'
export { type InboundOptions, inbound } from './inbound-http.ts'
export { type CloudEvent, type CloudEventOptions, cloudEvents } from './cloud-events.ts'
