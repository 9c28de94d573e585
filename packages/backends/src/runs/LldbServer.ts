/**
 * Finds the lldb-server that belongs to an lldb-dap: beside it, or on PATH. Only Linux: on macOS debugserver needs rights that
 * LLDB itself has.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Discovery from "../adapters/Discovery.ts"

/** The variable that names an lldb-server. */
const variable = "SIGTRAP_LLDB_SERVER"

/** Returns the path of the server; undefined if none is found that may be run. */
export const find = Effect.fnUntraced(function* (adapter: string, env: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const version = /-(\d+)$/.exec(path.basename(adapter))?.[1]
  const directories = (env["PATH"] ?? "").split(":").filter((directory) => path.isAbsolute(directory))
  const fileNames = [...(version === undefined ? [] : [`lldb-server-${version}`]), "lldb-server"]
  const named = env[variable]
  const candidates =
    named !== undefined && path.isAbsolute(named)
      ? [named]
      : [path.dirname(adapter), ...directories].flatMap((directory) =>
          fileNames.map((name) => path.join(directory, name))
        )
  for (const candidate of candidates) {
    const file = yield* Effect.option(fs.realPath(candidate))
    if (file._tag === "None") continue
    const info = yield* Effect.option(fs.stat(file.value))
    const runs = info._tag === "Some" && info.value.type === "File" && (info.value.mode & 0o111) !== 0
    if (runs && (yield* Discovery.trustProblem(candidate)) === undefined) return file.value
  }
  return undefined
})
