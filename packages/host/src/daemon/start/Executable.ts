/**
 * Finds the executable of the daemon. Plain code without Effect, since the thin client uses it too. It starts nothing: a daemon finds its
 * own command before it listens, and `node:child_process` takes a tenth of the time of `node -e 0` to load.
 */
import { accessSync, constants, existsSync, realpathSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { isTooOld } from "../../runtime/NodeVersion.ts"

/** The variable that names the executable to start instead of the installed one. */
export const EXECUTABLE_VARIABLE = "SIGTRAP_DAEMON"

/** A program and its first arguments; `daemon run` is appended. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns a folder and its ancestors, nearest first. */
export const ancestors = (folder: string): ReadonlyArray<string> =>
  folder === dirname(folder) ? [folder] : [folder, ...ancestors(dirname(folder))]

const isScript = (path: string) => /\.[cm]?[jt]s$/.test(path)

/** Returns a Node that is new enough: that of this process, or one in a `node_modules` above a folder. */
const node = (folder: string): string | undefined => {
  if (!isTooOld()) return process.execPath
  return ancestors(folder)
    .map((above) => join(above, "node_modules/.bin/node"))
    .find(isExecutable)
}

/** Returns the compiled executable of this platform, from the package that npm installs beside `sigtrap` for old versions of Node. */
const compiled = (folder: string): string | undefined =>
  ancestors(folder)
    .flatMap((above) =>
      ["", "-musl"].map((libc) =>
        join(above, "node_modules/@sigtrap", `bin-${process.platform}-${process.arch}${libc}`)
      )
    )
    .map((module) => join(module, "sigtrap"))
    .find(isExecutable)

/**
 * Returns the command that runs a script of sigtrap: the runtime of this process, another Node if this one is too old, or
 * the compiled executable, which has every script inside. `undefined` if there is none. Deno gets all permissions: a debugger
 * reads files and starts programs.
 */
export const scriptCommand = (path: string): Command | undefined => {
  const { execPath: program, versions } = process
  if (versions["bun"] !== undefined) return { program, args: [path] }
  if (versions["deno"] !== undefined) return { program, args: ["run", "--allow-all", "--quiet", path] }
  const newer = node(dirname(path))
  if (newer !== undefined) return { program: newer, args: [path] }
  const executable = compiled(dirname(path))
  return executable === undefined ? undefined : { program: executable, args: [] }
}

/** Returns the command that runs a file: a script with a runtime, any other file directly. */
const commandOf = (path: string): Command => {
  const real = realpathSync(path)
  if (!isScript(real)) return { program: real, args: [] }
  return scriptCommand(real) ?? { program: "node", args: [real] }
}

/**
 * Finds the daemon to start: the executable in `SIGTRAP_DAEMON`, `sigtrap.js` in `folder`, which is in the same package, a
 * `sigtrap` that is installed above `folder`, or one on PATH.
 */
export const find = (
  folder: string,
  environment: { readonly [name: string]: string | undefined }
): Command | undefined => {
  const named = environment[EXECUTABLE_VARIABLE]
  if (named !== undefined && named !== "") return commandOf(named)
  const places = [
    join(folder, "sigtrap.js"),
    ...ancestors(folder).flatMap((above) => [
      join(above, "node_modules/.bin/sigtrap"),
      join(above, "node_modules/sigtrap/dist/sigtrap.js")
    ]),
    ...(environment["PATH"] ?? "")
      .split(delimiter)
      .filter((entry) => entry.startsWith("/"))
      .map((entry) => join(entry, "sigtrap"))
  ]
  const found = places.find((path) => existsSync(path))
  return found === undefined ? undefined : commandOf(found)
}
