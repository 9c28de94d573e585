/**
 * Node's cache of compiled code, in the user's cache folder. A second start of a program then takes a third less time. Without a
 * writable folder the program starts without the cache. `NODE_COMPILE_CACHE` names another folder and `NODE_DISABLE_COMPILE_CACHE`
 * turns the cache off; see https://nodejs.org/api/module.html#module-compile-cache.
 */
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

/** Caches the code of the modules that are imported from now on. Node 20 and Deno have no such cache. */
export const enable = (): void => {
  const home = process.env["XDG_CACHE_HOME"]
  const folder = home?.startsWith("/") === true ? home : join(homedir(), ".cache")
  module.enableCompileCache?.(join(folder, "sigtrap"))
}
