/** Loads the bundle of the daemon, by a path that is computed at run time so that the bundler leaves it out. */

/**
 * Imports a module without stack traces for the errors that are made meanwhile. Effect makes one to look at its trace, for which Node loads
 * three milliseconds of code.
 */
export const load = async <A>(path: string): Promise<A> => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    const loaded: A = await import(`file://${encodeURI(path)}`)
    return loaded
  } finally {
    Error.stackTraceLimit = limit
  }
}
