/** An instant as Kubernetes' `Time` prints it: RFC 3339 in UTC with whole seconds. `ms` is milliseconds since the epoch. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

/** An instant as Kubernetes' `MicroTime` prints it: RFC 3339 in UTC with six digits of a second. */
export function microTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`
}
