/** Something the user can mend: the message says what was given, what was expected and what to do. */
export class Failure extends Error {
  override readonly name = 'Failure'
}
