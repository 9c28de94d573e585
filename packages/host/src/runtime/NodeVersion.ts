/**
 * The oldest Node that runs the daemon and the servers. Plain code without imports, so that an entry point can read it before it
 * loads what an older Node does not have.
 */

const OLDEST = { major: 22, minor: 15 }

/** Versions of a runtime, as in `process.versions`. Bun and Deno name the Node that they imitate. */
interface Versions {
  readonly node: string
  readonly [name: string]: string | undefined
}

/** Returns whether a runtime is a Node that is too old. Bun and Deno are not checked. */
export const isTooOld = (versions: Versions = process.versions): boolean => {
  if (versions["bun"] !== undefined || versions["deno"] !== undefined) return false
  const [major = 0, minor = 0] = versions.node.split(".").map(Number)
  return major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)
}

/** How to get a Node that is new enough. */
export const remedy = "npm install --save-dev node@22"

/** Returns a sentence about a Node that is too old, for a program that needs a newer one. */
export const problem = (program: string, version: string = process.version): string =>
  `${program} needs Node ${OLDEST.major}.${OLDEST.minor} or newer; this is ${version}`

/** Ends a server with exit code 8 and the problem on standard error. */
export const refuse = (program: string): void => {
  process.stderr.write(`error: ${problem(program)} [VERSION_TOO_OLD]\nhint: ${remedy}\n`)
  process.exitCode = 8
}
