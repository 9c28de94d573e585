/** The debug servers and programs of the live tests of this package. */
import { NodeSocketServer } from "@effect/platform-node"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { DebugServer } from "../src/index.ts"

const names = ["lldb-server", ...Array.from({ length: 27 }, (_, index) => `lldb-server-${40 - index}`)]

/** Returns whether a program runs. */
export const runs = Effect.fnUntraced(function* (name: string, ...args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const code = yield* Effect.option(spawner.exitCode(ChildProcess.make(name, args)))
  return code._tag === "Some" && code.value === 0
})

/** The newest lldb-server on PATH; undefined if there is none. */
export const lldbServer = Effect.gen(function* () {
  for (const name of names) if (yield* runs(name, "version")) return name
  return undefined
})

/** Compiles a C program in a folder of the scope and returns its path. */
export const compile = Effect.fnUntraced(function* (source: string, ...args: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-rsp-" })
  yield* fs.writeFileString(`${folder}/program.c`, source)
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const compiler = ChildProcess.make("cc", ["-g", "-O0", "-o", `${folder}/program`, `${folder}/program.c`, ...args])
  const code = yield* spawner.exitCode(compiler)
  return code === 0 ? `${folder}/program` : yield* Effect.die("the program does not compile")
})

/** Starts lldb-server with a socket in a folder of the scope. */
export const start = Effect.fnUntraced(function* (executable: string) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-rsp-" })
  return yield* DebugServer.start({ executable, listen: NodeSocketServer.make({ path: `${folder}/socket` }) })
})
