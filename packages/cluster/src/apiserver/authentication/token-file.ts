import type { User } from '../http/message.ts'
import type { TokenAuthenticator } from './authenticator.ts'

/** Reads a static token file (apiserver/pkg/authentication/token/tokenfile): `token,user,uid,"group1,group2"`. Throws an Error with a sentence. */
export function parseTokenFile(text: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>()
  for (const [at, record] of csvRecords(text).entries()) {
    if (record.length < 3) {
      throw new Error(
        `token file must have at least 3 columns (token, user name, user uid), found ${record.length} in line ${at + 1}`,
      )
    }
    const [token = '', name = '', uid = '', groups = ''] = record
    // The real server passes over records without a token, and so does this.
    if (token === '') continue
    users.set(token, {
      name,
      groups: groups === '' ? [] : groups.split(','),
      ...(uid === '' ? {} : { uid }),
    })
  }
  return users
}

/** RFC 4180: fields in quotes may hold commas, line ends and doubled quotes. Lines that begin with `#` are no records. */
function csvRecords(text: string): readonly (readonly string[])[] {
  const records: string[][] = []
  let record: string[] = []
  const field = /(?:^|,|\n)(?:[ \t]*"((?:[^"]|"")*)"[ \t]*|([^,\n]*))/gy
  const lines = text.replaceAll('\r\n', '\n').replaceAll(/^#.*\n?/gm, '')
  for (const match of lines.matchAll(field)) {
    if (match[0].startsWith('\n')) {
      records.push(record)
      record = []
    }
    record.push((match[1] ?? match[2] ?? '').replaceAll('""', '"').trim())
  }
  records.push(record)
  return records.filter((it) => it.length > 1 || (it[0] ?? '') !== '')
}

/** Recognises tokens that are good for ever. */
export const staticTokens =
  (users: ReadonlyMap<string, User>): TokenAuthenticator =>
  async (token) => {
    const user = users.get(token)
    return user && { user, audiences: [] }
  }
