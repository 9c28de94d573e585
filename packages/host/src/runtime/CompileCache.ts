/**
 * Node's cache of compiled code. A second start of a program then takes a third less time. Node loads what it finds in the folder, so
 * the folder must be one that only this user can change: in the user's cache folder or else in the runtime directory, with mode 0700.
 * Without such a folder the program starts without the cache. Node compares each entry with the code and with its own version, so a
 * new version of the program makes new entries. `NODE_COMPILE_CACHE` names another folder and `NODE_DISABLE_COMPILE_CACHE` turns the
 * cache off; see https://nodejs.org/api/module.html#module-compile-cache.
 */
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import * as Directories from "./Directories.ts"
import * as RuntimePath from "./RuntimePath.ts"

/** What decides the folder. */
export interface Request {
  readonly environment: { readonly [name: string]: string | undefined }
  readonly home: string
  /** The effective user. */
  readonly uid: number
}

/** Returns the folder of the cache, which is made if it does not exist; undefined if none is safe. */
export const folder = ({ environment, home, uid }: Request): string | undefined => {
  // A relative path would be below whatever directory the command is run in.
  const base = [environment["XDG_CACHE_HOME"] ?? "", join(home, ".cache")].find((path) => path.startsWith("/"))
  try {
    if (base !== undefined) {
      Directories.make(join(base, "sigtrap"), 0o700)
      const own = join(base, "sigtrap", "code")
      if (RuntimePath.problemOf(own, uid) === undefined) return own
    }
  } catch {
    // The runtime directory is tried instead.
  }
  const place = RuntimePath.resolve({ environment, uid })
  if (place._tag === "Refusal") return undefined
  const own = join(place.directory, "code")
  return RuntimePath.problemOf(own, uid) === undefined ? own : undefined
}

/** Caches the code of the modules that are imported from now on. Node 20 and Deno have no such cache. */
export const enable = (): void => {
  if (module.enableCompileCache === undefined) return
  const own = folder({ environment: process.env, home: homedir(), uid: process.geteuid?.() ?? -1 })
  if (own !== undefined) module.enableCompileCache(own)
}

/** Writes what was compiled so far: a process that is killed would not write it. */
export const flush = (): void => module.flushCompileCache?.()
