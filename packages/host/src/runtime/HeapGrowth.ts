/**
 * Limits how far V8 lets the heap of a daemon or a server grow. By default it grows to a multiple of the live objects before V8
 * collects: a flood of output then takes a hundred megabytes.
 *
 * The options are set in the running process, not on Node's command line: V8 uses compiled code, that of Node's own modules and
 * that of the compile cache, only with the options with which it was compiled, and Node's own modules are compiled with the
 * defaults. Bun and Deno have no such options.
 */
import { setFlagsFromString } from "node:v8"

/** Each option with its limited value and V8's default. */
const options = [
  { name: "--heap-growing-percent", limited: 20, standard: 0 },
  { name: "--semi-space-growth-factor", limited: 1, standard: 2 }
] as const

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

let limits = false
/** Number of tasks that need the defaults. */
let exceptions = 0

const apply = (): void => {
  const kind = limits && exceptions === 0 ? "limited" : "standard"
  for (const option of options) setFlagsFromString(`${option.name}=${option[kind]}`)
}

/** Limits the growth of the heap from now on. Call it when the program is loaded. */
export const limit = (): void => {
  if (!isNode || limits) return
  limits = true
  apply()
  // Node writes the compile cache when it exits, with the options of that moment.
  process.once("exit", () => {
    exceptions += 1
    apply()
  })
}

/** Loads or stores compiled code, which has to have V8's default options. */
export const withDefaults = async <A>(task: () => A | Promise<A>): Promise<A> => {
  if (!limits) return task()
  exceptions += 1
  apply()
  try {
    return await task()
  } finally {
    exceptions -= 1
    apply()
  }
}
