/**
 * The version of this build, and of its protocol with the daemon. Plain values: the thin client reads them at every
 * command, so this module imports nothing.
 */

/** The version of every package, as in their manifests. */
export const product = "0.0.0"

/**
 * The version of the protocol with the daemon, `major.minor`. Sides with the same major are compatible; a change that
 * an older side cannot ignore raises the major.
 */
export const protocol = "2.0"

/** The answer of `sigtrap version`, as data and as text. */
export const answer = { data: { version: product, protocol }, text: `sigtrap ${product} (protocol ${protocol})\n` }

/** Returns whether a side with protocol `other` is compatible with this one. */
export const compatible = (other: string): boolean => other.split(".")[0] === protocol.split(".")[0]
