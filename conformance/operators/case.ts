/** One thing that is done to a cluster in which an operator runs, and what is seen of it afterwards. Later ones live on earlier ones. */
export interface Case {
  readonly name: string
  /** Objects to apply first, as kubectl applies on the server's side. What is answered to them is not shown. */
  readonly given?: readonly object[]
  /** Commands of kubectl, one after another; what they say is not shown. */
  readonly after?: readonly (readonly string[])[]
  /** The command of kubectl whose answer is shown: JSON as objects, anything else as it is. */
  readonly ask: readonly string[]
  /** An object for the standard input of `ask`. */
  readonly input?: object
  /** Asked again until what is shown matches all of these, for a minute and a half at the most: operators take their time. */
  readonly until?: readonly RegExp[]
  /** Asked again while what is shown matches one of these. */
  readonly unless?: readonly RegExp[]
  /** Only lines that match are shown, each once. */
  readonly lines?: RegExp
}
