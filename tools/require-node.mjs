/** The oldest Node that runs TypeScript as it is, without a flag. */
const OLDEST = [22, 18]

/** Ends the process with one clear line where Node is too old to run this project. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  console.error(
    `kubewright needs Node ${OLDEST.join('.')} or newer, and this is Node ${process.versions.node} ` +
      `(${process.execPath}). Run it through npm (npm start, npm test), which uses the pinned one, or install a newer Node.`,
  )
  process.exit(1)
}
