/** Something the user can mend: the message says what was given, what was expected and what to do. */
export class Failure extends Error {
  override readonly name = 'Failure'
}

/** What to do about a file that the system does not let us have. */
export function whyNot({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not; change the permissions of the folder, or work in another one'
    case 'EROFS':
      return 'the file system is read-only; work in a folder that can be written to'
    case 'ENOSPC':
      return 'the disk is full; make room and try again'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a file stands where a folder of that path should be; move it away'
    case 'EISDIR':
      return 'a folder of that name is there; move it away'
    case 'ENOENT':
      return 'it is not there'
    default:
      return message
  }
}
