/**
 * The addresses of resources. A session's name has only letters, digits, dots, dashes and underscores, so nothing in an
 * address needs to be encoded.
 */

/** All sessions. */
export const sessions = "sigtrap://sessions"
/** How a session stands. */
export const session = (name: string): string => `${sessions}/${name}`
/** What happened in a session. */
export const transcript = (name: string): string => `${sessions}/${name}/transcript`
/** What the program of a session wrote. */
export const output = (name: string): string => `${sessions}/${name}/output`
/** The simulators of this machine. */
export const simulators = "sigtrap://simulators"
/** All operations. */
export const operations = "sigtrap://operations"
