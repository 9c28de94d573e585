/**
 * Loads parts of the program that a running daemon or server needs, and stores their compiled code for the next one.
 */
import * as CompileCache from "./CompileCache.ts"
import * as HeapGrowth from "./HeapGrowth.ts"

/** Time in which a loaded part has compiled what it needs, in milliseconds. */
const compiled = 5000

let storing: ReturnType<typeof setTimeout> | undefined

/** Runs an import. Its usual failure: the package was replaced while the daemon runs. */
const imported = async <A>(part: () => Promise<A>): Promise<A> => {
  try {
    return await part()
  } catch (cause) {
    throw new Error("a part of sigtrap cannot be loaded; `sigtrap daemon restart` starts a daemon that can", { cause })
  }
}

/** Runs an import with the options of V8 that compiled code needs, and stores the code later: a killed process would not. */
export const load = async <A>(part: () => Promise<A>): Promise<A> => {
  const loaded = await HeapGrowth.withDefaults(() => imported(part))
  storing ??= setTimeout(() => {
    storing = undefined
    void HeapGrowth.withDefaults(CompileCache.flush)
  }, compiled)
  storing.unref()
  return loaded
}
