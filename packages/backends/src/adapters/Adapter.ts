/**
 * The interface `Adapter`: all that is specific to one debug adapter, such as its files, launch arguments and quirks. To add
 * an adapter, write one such value, and list it in `Registry` or provide it with `Registry.layer`.
 *
 * `dap/Backend` handles every adapter through this interface and contains no adapter's name.
 */
import type { Capability, Errors, Session } from "@sigtrap/protocol"
import type { Backend, ProgramRuns, FileReader } from "@sigtrap/manager"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Result from "effect/Result"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Dialect } from "../console/Dialect.ts"
import type { AdapterSockets } from "../process/AdapterSockets.ts"
import type { Streams } from "../process/Streams.ts"
import type { Contents } from "./ProgramKind.ts"
import type { Quirks } from "./Quirks.ts"
import type * as RuntimeTasks from "./RuntimeTasks.ts"
import type { Trials } from "./Trials.ts"

/** The services needed to look for programs on this machine. */
export type Machine =
  | FileReader.FileReader
  | FileSystem.FileSystem
  | Path.Path
  | ChildProcessSpawner.ChildProcessSpawner

/** The fields of a launch that select the adapter's file: the requested adapter and the caller's environment. */
export type Search = Pick<Backend.LaunchRequest, "adapter" | "env" | "cwd">

/** An adapter that was found. */
export interface Found {
  readonly path: string
  /** The major version, from the file's name or printed by the program. */
  readonly major?: number
  readonly version?: string
  /** The program that runs the file, if the file is not executable by itself. */
  readonly runner?: string
  /** Preferred files that were not used, each with the reason. */
  readonly skipped?: ReadonlyArray<string>
}

/** An adapter on this machine, or why it cannot be used. */
export interface Located {
  readonly path?: string
  readonly version?: string
  readonly problem?: string
  /** The oldest version that can be used, if this one is too old. */
  readonly needed?: string
}

/** The input of launch arguments, besides the request. */
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
  /** The adapter's whole environment. The program's is in the launch arguments. */
  readonly env: Readonly<Record<string, string>>
}

/** Arguments of a launch or attach request. */
export type Arguments = { readonly [key: string]: unknown }

/** The request that attaches to a process, a core file or a debug server. */
export interface AttachRequest {
  /** `none` if the commands of `prepare` attach. */
  readonly request: "launch" | "attach" | "none"
  readonly arguments: Arguments
  /** True if the program keeps running after attach. It stops only after `pause`. */
  readonly keepsRunning?: boolean
  /** Arguments of a second request after a refusal with this text, which the adapter also sends although it has connected. */
  readonly again?: { readonly after: RegExp; readonly arguments: Arguments }
}

/** What the language of a program needs. */
export interface LanguageSupport {
  /** Launch or attach arguments, such as commands that load formatters. Lists are appended to those of the request. */
  readonly arguments: Arguments
  /** Exceptions at which the program stops unless the caller names others. */
  readonly catches: ReadonlyArray<string>
}

/** A field of a launch request that not every adapter supports. */
export type StartOption = "commands" | "terminal" | "aslr" | "followFork" | "sourceMap"

/** Who supplies a feature. */
export type By = Session.Feature["by"]

/** How an adapter is installed into a directory. */
export interface DirectoryInstallation {
  readonly command: (directory: string, version: string | undefined) => ReadonlyArray<string>
  /** Variables that are added to the command's environment. */
  readonly env: (directory: string) => { readonly [name: string]: string }
  /** Matches the names of the installed files. */
  readonly files: RegExp
  /** How the adapter is found afterwards: a variable names the directory, or its own variable names this file. */
  readonly foundBy: { readonly variable: string } | { readonly file: string }
}

/** How an adapter is installed on a machine. */
export interface Installation {
  /** Its package by package manager. */
  readonly packages: { readonly [manager: string]: string }
  /** Package managers whose package names end with `-VERSION`, and the newest version that the live tests run with. */
  readonly versioned?: { readonly managers: ReadonlyArray<string>; readonly tested: number }
  /** How it is installed into a directory; absent if that is impossible. */
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
  /** True if answers show the file's name without version instead of `name`: lldb-vscode for an old lldb-dap. */
  readonly namedByFile?: boolean
  /** `adapterID` of initialize (DAP). */
  readonly id: string
  /** Matches the name of its file, for an adapter given by path. */
  readonly file: RegExp
  readonly languages: ReadonlyArray<string>
  /** Suffixes of source files that it runs. */
  readonly extensions: ReadonlyArray<string>
  /** True if a program for it need not be executable, whatever its suffix. */
  readonly runsAnyFile?: boolean
  /** Matches the name of the interpreter whose programs it debugs when it attaches to a process; absent if it has none. */
  readonly interpreter?: RegExp
  /** True if a program file is written in its language; absent if a file does not show that. */
  readonly recognizes?: (contents: Contents) => boolean
  /** How it is installed; absent if sigtrap cannot install it. */
  readonly installation?: Installation
  /** How `doctor` tries it; absent if it does not. */
  readonly trials?: Trials
  /** The types of launch configurations (launch.json) that it debugs. */
  readonly editorTypes: ReadonlyArray<Backend.EditorType>
  /**
   * How DAP messages are exchanged: over standard streams, or over a socket. The adapter's first line of output announces the
   * socket as `HOST:PORT` or as the path of a Unix domain socket; `announcement` matches it. Without announcement it listens at
   * `port` of 127.0.0.1: a fixed one, or a free one. `${port}` in its arguments and variables becomes that port.
   */
  readonly transport: "stdio" | { readonly announcement: RegExp } | { readonly port: number | "free" }
  /**
   * How the program gets its standard streams. `setting`: by a setting of the debugger. `adapter`: inherited from the adapter,
   * which writes its announcement and its messages to a pipe of their own.
   * `terminal`: sigtrap starts the program at the adapter's request (DAP `runInTerminal`). `events`: it gets none, and its
   * output arrives as `output` events.
   */
  readonly streams: "setting" | "adapter" | "terminal" | "events"
  /** Changes the command of a program that sigtrap starts at the adapter's request (DAP `runInTerminal`). */
  readonly command?: (words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** True if its command is the same for every program, and one may be started before it is needed. */
  readonly prestarts?: boolean
  /** True if it starts child sessions (DAP `startDebugging`) and keeps running after a session has ended. */
  readonly children?: boolean
  /** True if its debug server speaks DAP itself, so that no adapter process is started. */
  readonly remoteServesDap?: boolean
  /** Start options that it supports. */
  readonly supports: ReadonlyArray<StartOption>
  /** Suppliers of capabilities where they differ from those that DAP capabilities and the dialect imply. */
  readonly features?: Readonly<Partial<Record<Capability.Id, By>>>
  /** Capabilities that it lacks and for which DAP has no capability flag. */
  readonly lacks?: ReadonlyArray<Capability.Id>
  /** Finds the file to use. Fails with every place that was searched, or with a version that is too old. */
  readonly find: (search: Search) => Effect.Effect<Found, Errors.AdapterNotFound | Errors.VersionTooOld, Machine>
  /** Finds every file of this kind on this machine, also unusable ones. */
  readonly all: (search: Search) => Effect.Effect<ReadonlyArray<Located>, never, Machine>
  /** Returns how it is started. `messages` is the named pipe for what it writes itself, if the program inherits its streams. */
  readonly start: (found: Found, launch: Backend.LaunchRequest, directory: string, messages?: string) => ProcessStart
  readonly quirks: (major: number) => Quirks
  /** Lists the tasks of the language's runtime; absent if it has none or the adapter cannot. */
  readonly tasks?: RuntimeTasks.Make
  /** The command line of its debugger; absent if sigtrap sends it no commands. */
  readonly dialect?: (quirks: Quirks) => Dialect
  /**
   * Commands for the debugger's command line before launch or attach; each must succeed. Fails with a text of the request that
   * cannot be part of a command.
   */
  readonly prepare?: (
    launch: Backend.LaunchRequest,
    context: LaunchContext
  ) => Result.Result<ReadonlyArray<string>, { readonly text: string }>
  /** Returns launch or attach arguments for the caller's start options. Lists are appended to those of the request. */
  readonly optionArguments?: (launch: Backend.LaunchRequest, quirks: Quirks) => Arguments
  /** Returns what the language of the program needs; absent if the adapter needs nothing more for any language. */
  readonly language?: (launch: Backend.LaunchRequest, quirks: Quirks) => Effect.Effect<LanguageSupport, never, Machine>
  /** Changes launch arguments that have the caller's options. */
  readonly completeArguments?: (args: Arguments) => Effect.Effect<Arguments, never, AdapterSockets>
  /** Returns the request that attaches. */
  readonly attach: (
    launch: Backend.LaunchRequest,
    existing: Backend.AttachTarget,
    quirks: Quirks
  ) => Result.Result<AttachRequest, Errors.AttachFailed | Errors.Unsupported>
  /** Returns the request that takes over a held program; absent if the adapter cannot. */
  readonly takeOver?: (
    launch: Backend.LaunchRequest,
    held: ProgramRuns.Held,
    quirks: Quirks
  ) => Result.Result<AttachRequest>
  /** Returns the arguments of `launch` (DAP). */
  readonly launchArguments: (
    launch: Backend.LaunchRequest,
    context: LaunchContext
  ) => Effect.Effect<Arguments, Errors.LaunchFailed | Errors.Unsupported, FileSystem.FileSystem | Path.Path>
}
