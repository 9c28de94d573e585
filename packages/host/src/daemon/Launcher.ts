/**
 * How a daemon is started from outside: which executable, and how it is let go. Plain code without Effect, since the
 * thin client uses it too. Whoever starts a daemon does not know whether it becomes the one: many may be started at
 * once, and all but one end at once with exit code 0.
 */
import { spawn } from "node:child_process"
import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs"
import { basename, delimiter, dirname, join } from "node:path"
import { VARIABLE, type Place } from "../runtime/RuntimePath.ts"

/** The variable that names the executable to start instead of the installed one. */
export const EXECUTABLE_VARIABLE = "SIGTRAP_DAEMON"

/** The oldest Node that runs the daemon. */
export const OLDEST_NODE = 22

/** A program and its first words; `daemon run` is added. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** A daemon that was started. */
export interface Started {
  /** Completes with how it ended: an exit code, a signal, or why it could not be started. */
  readonly ended: Promise<number | string>
}

/** Starts a daemon that outlives us; what it prints goes to the log. */
export const start = (command: Command, place: Place): Started => {
  const log = openSync(place.log, "a", 0o600)
  const child = spawn(command.program, [...sparing(command), ...command.args, "daemon", "run"], {
    detached: true,
    cwd: "/",
    stdio: ["ignore", log, log],
    env: { ...process.env, [VARIABLE]: place.directory }
  })
  closeSync(log)
  child.unref()
  return {
    ended: new Promise((resolve) => {
      child.once("error", (error) => resolve(error.message))
      child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"))
    })
  }
}

/** The last lines of a log, oldest first; none when there is no log. At most `limit` bytes are read. */
export const tail = (log: string, lines: number, limit = 64 * 1024): ReadonlyArray<string> => {
  try {
    const descriptor = openSync(log, "r")
    try {
      const { size } = fstatSync(descriptor)
      const bytes = new Uint8Array(Math.min(size, limit))
      readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
      return new TextDecoder()
        .decode(bytes)
        .split("\n")
        .filter((line) => line !== "")
        .slice(-lines)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return []
  }
}

/** What a daemon that failed to start wrote last, as the end of a message; empty when that is nothing. */
export const lastWords = (log: string): string => {
  const lines = tail(log, 5, 4096)
  return lines.length === 0 ? "" : `; its last words:\n${lines.join("\n")}`
}

/**
 * Node's options for a daemon: V8 else lets its heap grow to a multiple of what is alive before it looks for what is not,
 * which a flood of output, short texts that live a while, turns into a hundred megabytes.
 */
const sparing = ({ args, program }: Command): ReadonlyArray<string> =>
  isScript(args[0] ?? "") && /^node(?:js)?$/.test(basename(program))
    ? ["--heap-growing-percent=20", "--max-semi-space-size=2"]
    : []

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A folder and all above it, nearest first. */
export const upwards = (folder: string): ReadonlyArray<string> =>
  folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))]

const isScript = (path: string) => /\.[cm]?[jt]s$/.test(path)

/** Whether we run on a Node that is too old for the daemon. */
export const isTooOld = (): boolean => Number.parseInt(process.versions.node, 10) < OLDEST_NODE

const isNode = () => process.versions["bun"] === undefined && process.versions["deno"] === undefined

/** A Node that is new enough: the one we run on, else one installed in `node_modules` above a folder. */
export const node = (folder: string): string | undefined => {
  if (isNode() && !isTooOld()) return process.execPath
  return upwards(folder)
    .map((above) => join(above, "node_modules/.bin/node"))
    .find(isExecutable)
}

/** How to run a file: scripts by Node, everything else by itself. */
const commandOf = (path: string): Command => {
  const real = realpathSync(path)
  return isScript(real) ? { program: node(dirname(real)) ?? "node", args: [real] } : { program: real, args: [] }
}

/** A program of ours that is installed: beside `folder` or above it, or on the PATH. `module` is its package's own file. */
const installed = (
  name: string,
  module: string,
  folder: string,
  environment: { readonly [name: string]: string | undefined }
): Command | undefined => {
  const places = [
    ...upwards(folder).flatMap((above) => [
      join(above, "node_modules/.bin", name),
      join(above, "node_modules", module)
    ]),
    ...(environment["PATH"] ?? "")
      .split(delimiter)
      .filter((entry) => entry.startsWith("/"))
      .map((entry) => join(entry, name))
  ]
  const found = places.find((path) => existsSync(path))
  return found === undefined ? undefined : commandOf(found)
}

/**
 * The daemon to start for a program that is not the daemon itself: the one named by `SIGTRAP_DAEMON`, the `sigtrap`
 * installed beside `folder`, or the one on the PATH.
 */
export const find = (
  folder: string,
  environment: { readonly [name: string]: string | undefined }
): Command | undefined => {
  const named = environment[EXECUTABLE_VARIABLE]
  return named === undefined || named === ""
    ? installed("sigtrap", "sigtrap/dist/sigtrap.js", folder, environment)
    : commandOf(named)
}

/** The MCP server that is installed beside `folder` or on the PATH. */
export const findMcp = (
  folder: string,
  environment: { readonly [name: string]: string | undefined }
): Command | undefined => installed("sigtrap-mcp", "@sigtrap/mcp/dist/sigtrap-mcp.js", folder, environment)
