/**
 * The description of a kind of debug adapter: its name and files, how it is found, started and commanded, its launch and
 * attach arguments, its quirks. A new adapter is one such value and one line in `Registry`.
 *
 * `dap/Backend` drives every adapter by this description and names none.
 */
import type { Capability, Errors, Session } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Result from "effect/Result"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Dialect } from "../console/Dialect.ts"
import type { Streams } from "../process/Streams.ts"
import type { Contents } from "./Executable.ts"
import type { Quirks } from "./Quirks.ts"

/** The services needed to look for programs on this machine. */
export type Machine = FileSystem.FileSystem | Path.Path | ChildProcessSpawner.ChildProcessSpawner

/** The fields of a launch that decide which file is used: the requested adapter and the caller's environment. */
export type Search = Pick<Backend.LaunchRequest, "adapter" | "env" | "cwd">

/** An adapter that was found. */
export interface Found {
  readonly path: string
  /** The major version by the file's name or by the program itself. */
  readonly major?: number
  readonly version?: string
  /** The program that runs the file, if the file is not executable by itself. */
  readonly runner?: string
}

/** An adapter on this machine, or why it cannot be used. */
export interface Located {
  readonly path?: string
  readonly version?: string
  readonly problem?: string
  /** The oldest version that can be used, if this one is too old. */
  readonly needed?: string
}

/** What launch arguments are made from, beside the request. */
export interface LaunchContext {
  readonly found: Found
  readonly streams: Streams
  readonly quirks: Quirks
  /** A directory that is removed with the connection. */
  readonly directory: string
}

/** How the adapter's process is started. */
export interface ProcessStart {
  readonly args: ReadonlyArray<string>
  /** Arguments of the program that runs the file, before the file. */
  readonly runnerArgs?: ReadonlyArray<string>
  /** The adapter's whole environment; the program gets its own by the launch arguments. */
  readonly env: Readonly<Record<string, string>>
}

/** Arguments of a launch or attach request. */
export type Arguments = { readonly [key: string]: unknown }

/** The request that attaches to a process, a core file or a debug server. */
export interface AttachRequest {
  /** `none` if the commands of `prepare` attach. */
  readonly request: "launch" | "attach" | "none"
  readonly arguments: Arguments
  /** The program keeps running; a stop needs a `pause`. */
  readonly keepsRunning?: boolean
}

/** A field of a launch request that not every adapter supports. */
export type StartOption = "commands" | "terminal" | "aslr" | "sourceMap"

/** Who supplies a feature. */
export type By = Session.Feature["by"]

/** How an adapter is installed into a directory. */
export interface DirectoryInstallation {
  readonly command: (directory: string, version: string | undefined) => ReadonlyArray<string>
  /** Variables that are added to the command's environment. */
  readonly env: (directory: string) => { readonly [name: string]: string }
  /** Matches the names of the installed files. */
  readonly files: RegExp
  /** How the adapter is found there: by a variable that names the directory, or by the path of this file. */
  readonly foundBy: { readonly variable: string } | { readonly file: string }
}

/** How an adapter is installed on a machine. */
export interface Installation {
  /** Its package by package manager. */
  readonly packages: { readonly [manager: string]: string }
  /** How it is installed into a directory; absent if it cannot be. */
  readonly into?: DirectoryInstallation
  /** What to do if no package manager has it. */
  readonly instruction: string
  /** Matches the names of project files that need it. */
  readonly for: RegExp
}

/** A kind of debug adapter. */
export interface Adapter {
  /** The name in `--adapter NAME` and in answers. */
  readonly name: string
  /** Other names. */
  readonly aliases: ReadonlyArray<string>
  /** Answers name the file, without its version, in place of the adapter: lldb-vscode for an old lldb-dap. */
  readonly namedByFile?: boolean
  /** `adapterID` of initialize (DAP). */
  readonly id: string
  /** Matches the name of its file, for adapters requested by path. */
  readonly file: RegExp
  readonly languages: ReadonlyArray<string>
  /** Suffixes of source files that it runs. */
  readonly extensions: ReadonlyArray<string>
  /** True if a program file is of its language; absent if no program shows that. */
  readonly recognizes?: (contents: Contents) => boolean
  /** How it is installed; absent if only the user knows. */
  readonly installation?: Installation
  /** The types of editors' launch configurations that it debugs. */
  readonly editorTypes: ReadonlyArray<Backend.EditorType>
  /**
   * Standard streams, or a socket whose address the first line of output announces: `HOST:PORT` or the path of a Unix
   * domain socket.
   */
  readonly transport: "stdio" | { readonly announcement: RegExp }
  /**
   * How the program gets its standard streams: by a debugger setting, inherited from the adapter, from a process that the
   * adapter asks us to start (DAP `runInTerminal`), or not at all: its output arrives as `output` events.
   */
  readonly streams: "setting" | "adapter" | "terminal" | "events"
  /** It starts child sessions (DAP `startDebugging`) and keeps running after a session has ended. */
  readonly children?: boolean
  /** A debug server of this kind speaks DAP itself, so no adapter process is started for it. */
  readonly remoteServesDap?: boolean
  /** Start options that it supports. */
  readonly supports: ReadonlyArray<StartOption>
  /** Capabilities that another side supplies than DAP capabilities and the dialect say. */
  readonly features?: Readonly<Partial<Record<Capability.Id, By>>>
  /** Capabilities that it lacks although no DAP capability says so. */
  readonly lacks?: ReadonlyArray<Capability.Id>
  /** Finds the file to use. Fails with every place that was searched, or with a version that is too old. */
  readonly find: (search: Search) => Effect.Effect<Found, Errors.AdapterNotFound | Errors.VersionTooOld, Machine>
  /** Every file of this kind on this machine, also unusable ones. */
  readonly all: (search: Search) => Effect.Effect<ReadonlyArray<Located>, never, Machine>
  readonly start: (found: Found, launch: Backend.LaunchRequest, directory: string) => ProcessStart
  readonly quirks: (major: number) => Quirks
  /** The command line of its debugger; absent if it has none that is used. */
  readonly dialect?: (quirks: Quirks) => Dialect
  /** Commands for the debugger's command line before launch or attach; each must succeed. */
  readonly prepare?: (launch: Backend.LaunchRequest, context: LaunchContext) => ReadonlyArray<string>
  /** The launch or attach arguments for start options of the caller; lists are appended to those of the request. */
  readonly optionArguments?: (launch: Backend.LaunchRequest, quirks: Quirks) => Arguments
  /** The request that attaches. */
  readonly attach: (
    launch: Backend.LaunchRequest,
    existing: Backend.AttachTarget,
    quirks: Quirks
  ) => Result.Result<AttachRequest, Errors.AttachFailed | Errors.Unsupported>
  /** The arguments of launch (DAP). */
  readonly launchArguments: (
    launch: Backend.LaunchRequest,
    context: LaunchContext
  ) => Effect.Effect<Arguments, Errors.LaunchFailed | Errors.Unsupported, FileSystem.FileSystem | Path.Path>
}
