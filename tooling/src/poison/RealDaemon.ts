/**
 * The built command as a daemon, with a session `work` of lldb-dap: its program has written 10 MB of long lines and is stopped.
 */
import { DaemonLauncher, ForcedStop, HolderRecord, RuntimePath } from "@sigtrap/host"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Connection } from "./Connection.ts"

const source = fileURLToPath(new URL("../../fixtures/c/long_lines.c", import.meta.url))
const command = fileURLToPath(new URL("../../../apps/cli/dist/sigtrap.js", import.meta.url))

/** A running daemon. */
interface RealDaemon {
  readonly place: RuntimePath.Place
  readonly pid: number
}

/** Compiles the program of the sessions as `app` in a folder. */
export const compile = (folder: string, file = source): void => {
  const { status } = spawnSync("cc", ["-g", "-O0", file, "-o", join(folder, "app")])
  if (status !== 0) throw new Error("a C compiler is needed for this bench")
}

/** Starts the HTTP server of the daemon in a folder. */
export const serve = (folder: string): { readonly url: string; readonly token_file: string } => {
  const { stdout } = spawnSync(process.execPath, [command, "serve", "--json", "--runtime-dir", join(folder, "run")], {
    encoding: "utf8"
  })
  return JSON.parse(stdout).data
}

/** Starts a daemon whose runtime directory is in `folder`; ended by force with the scope. */
export const launch = Effect.fnUntraced(function* (folder: string) {
  const place = RuntimePath.resolve({
    explicit: join(folder, "run"),
    environment: {},
    uid: process.geteuid?.() ?? -1
  })
  if (place._tag !== "Place") throw new Error("no runtime directory")
  yield* Effect.addFinalizer(() => Effect.ignore(ForcedStop.run(place)))
  mkdirSync(place.directory, { recursive: true, mode: 0o700 })
  DaemonLauncher.start({ program: process.execPath, args: [command] }, place)
  while (!existsSync(place.socket) || HolderRecord.read(place.holder) === undefined) yield* Effect.sleep(10)
  return { place, pid: HolderRecord.read(place.holder)?.pid ?? 0 } satisfies RealDaemon
})

/** Starts a daemon as `launch` does, and the session, which stops at `at`. */
export const start = Effect.fnUntraced(function* (folder: string, at = "done") {
  const daemon = yield* launch(folder)
  const connection = new Connection(daemon.place.socket)
  const started = yield* Effect.promise(() =>
    connection.run(["--json", "start", "./app", "--break", at, "--session", "work"], folder)
  )
  connection.close()
  if (!started.text.includes('"ok":true')) throw new Error(`the session did not start: ${started.text}`)
  return daemon
})
