/**
 * What this build calls itself, and what it speaks to a daemon. Plain values: the thin client reads them at every
 * command and may not load anything heavy for it.
 */

/** The version of every package, as in their manifests. */
export const product = "0.0.0"

/**
 * The version of the conversation with the daemon, as `major.minor`. A change that an older side cannot ignore raises
 * the major; sides with the same major understand each other.
 */
export const protocol = "1.0"

/** Whether a side that speaks `other` is understood here. */
export const compatible = (other: string): boolean => other.split(".")[0] === protocol.split(".")[0]
