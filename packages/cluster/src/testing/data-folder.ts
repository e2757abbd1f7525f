import { join } from 'node:path'
import { type Snapshot, sqliteStorage } from '../apiserver/index.ts'
import { makeDataFolder } from './identity.ts'

/** Where the objects of a data folder lie. */
export const dataFileIn = (folder: string): string => join(folder, 'cluster.db')

/** The same objects, at a later version: for a server whose clients may have seen later ones. */
export const bumped = (snapshot: Snapshot, by: number): Snapshot => ({
  items: snapshot.items,
  revision: snapshot.revision + by,
})

/**
 * Makes a data folder that begins with a snapshot, at its version and `bump` more. Rejects with a sentence when the folder holds a
 * cluster already, is in use, or cannot be written.
 */
export async function restoreDataFolder(
  folder: string,
  snapshot: Snapshot,
  bump: number,
): Promise<void> {
  makeDataFolder(folder)
  await sqliteStorage({ path: dataFileIn(folder), from: bumped(snapshot, bump) }).close()
}
