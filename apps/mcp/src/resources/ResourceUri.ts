/**
 * The URIs of resources. A session's name has only letters, digits, dots, dashes and underscores, so it is not encoded.
 */

/** All sessions. */
export const sessions = "sigtrap://sessions"
/** The status of a session. */
export const session = (name: string): string => `${sessions}/${name}`
/** The events of a session. */
export const transcript = (name: string): string => `${sessions}/${name}/transcript`
/** The output of a session's program. */
export const output = (name: string): string => `${sessions}/${name}/output`
/** The simulators of this machine. */
export const simulators = "sigtrap://simulators"
/** All operations. */
export const operations = "sigtrap://operations"
