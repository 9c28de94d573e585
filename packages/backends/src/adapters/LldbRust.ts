/**
 * What LLDB needs for Rust programs: the formatters of the Rust tool chain, which its own `rust-lldb` loads, and a stop at
 * panics.
 *
 * `rustc` runs in the root directory, because a project's `rust-toolchain.toml` can name another program to run.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import { rust } from "../console/lldb/python/formatters/Rust.ts"
import { rustTrees } from "../console/lldb/python/formatters/RustTrees.ts"
import { rustWrappers } from "../console/lldb/python/formatters/RustWrappers.ts"
import * as Discovery from "./Discovery.ts"
import * as ElfSections from "./ElfSections.ts"

/** Timeout of `rustc`, which may be a proxy that selects a tool chain. */
const timeout = "5 seconds"

/** Variables that `rustc` and its proxy read. */
const variables = /^(?:PATH|HOME|RUSTUP_HOME|CARGO_HOME|RUSTUP_TOOLCHAIN)$/

/** The exceptions at which a Rust program stops. */
export const catches = ["panic"]

/** True if `rustc` has compiled a program: it names itself in one of these sections. Only ELF files are recognized. */
export const isProgram = (program: string) =>
  Effect.map(ElfSections.texts(program, [".comment", ".debug_gdb_scripts"]), (texts) =>
    texts.some((text) => /rustc version|rust_pretty_printers/.test(text))
  )

/** Returns the directory of the tool chain; undefined without a `rustc` that runs and that only the user and root can change. */
const sysroot = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const options = {
    env: { ...Discovery.selected(env, variables), RUSTUP_AUTO_INSTALL: "0" },
    extendEnv: false,
    cwd: "/",
    stdin: "ignore",
    stderr: "ignore"
  } as const
  const [rustc] = yield* Discovery.onPath({ env, cwd: "/" }, ["rustc"])
  if (rustc === undefined || (yield* Discovery.trustProblem(rustc)) !== undefined) return undefined
  const found = yield* spawner.string(ChildProcess.make(rustc, ["--print", "sysroot"], options)).pipe(
    Effect.map((text) => text.trim()),
    Effect.timeout(timeout),
    Effect.orElseSucceed(() => "")
  )
  return path.isAbsolute(found) ? found : undefined
})

/** Returns the command that runs Python with names of its own. */
const executed = (source: string) => `script exec(${JSON.stringify(source)}, {})`

/** Returns the commands that load the formatters of the tool chain; none if it has none. */
export const formatters = Effect.fnUntraced(function* (launch: Pick<Backend.LaunchRequest, "env">, major: number) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* sysroot(launch.env)
  if (root === undefined) return []
  const commands: Array<string> = []
  for (const [words, name] of [
    ["command script import", "lldb_lookup.py"],
    ["command source -s 1", "lldb_commands"]
  ] as const) {
    const file = path.join(root, "lib", "rustlib", "etc", name)
    if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) return []
    if ((yield* Discovery.trustProblem(file)) !== undefined) return []
    const line = Command.command(words, [file], major)
    if (Result.isFailure(line)) return []
    commands.push(line.success)
  }
  return [...commands, ...[rust, rustTrees, rustWrappers].map(executed)]
})
