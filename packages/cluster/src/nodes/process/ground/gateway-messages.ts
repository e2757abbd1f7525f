/** What the cluster asks of its gateway; `id` is in the answer. */
export type GatewayRequest =
  | {
      readonly ask: 'dial' | 'listen' | 'bind'
      readonly id: number
      readonly host: string
      readonly port: number
    }
  | { readonly ask: 'unlisten'; readonly server: number }
  /** A process that has no namespace of its own, and ends with the cluster all the same. */
  | { readonly ask: 'watch' | 'forget'; readonly pid: number }

/** What the gateway answers. `done` and `accepted` bring a socket where one was asked for. */
export type GatewayAnswer =
  | { readonly is: 'here'; readonly pid: number }
  | { readonly is: 'done'; readonly id: number }
  | { readonly is: 'failed'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly is: 'accepted'; readonly server: number }
