/**
 * What there is to say about a kind of debug adapter, as data and a few functions: its name and files, how it is found
 * and started, how it is spoken to, where the program's streams are, what it is told at launch, its quirks.
 *
 * `Registry` lists them; `dap/Backend` drives any of them by this description and names none.
 */
import type { Capability, Errors } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Result from "effect/Result"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Streams } from "../process/Streams.ts"
import type { Quirks } from "./Quirks.ts"

/** What is needed to look for programs on this machine. */
export type Machine = FileSystem.FileSystem | Path.Path | ChildProcessSpawner.ChildProcessSpawner

/** What decides which file is taken: the adapter asked for, and the caller's environment. */
export type Search = Pick<Backend.LaunchRequest, "adapter" | "env" | "cwd">

/** An adapter that was found. `major` is what its file name says of the version, if it says anything. */
export interface Found {
  readonly path: string
  readonly major?: number
  readonly version?: string
  /** The program that runs the file, where it does not run by itself. */
  readonly runner?: string
}

/** An adapter on this machine, or why it cannot be used. */
export interface Located {
  readonly path?: string
  readonly version?: string
  readonly problem?: string
  /** The version it would have to have at least, where it is too old. */
  readonly needed?: string
}

/** What the launch arguments are made from. */
export interface Given {
  readonly found: Found
  readonly streams: Streams
  readonly quirks: Quirks
  /** A directory that is removed with the connection. */
  readonly directory: string
}

/** How the adapter's own process is started. */
export interface Start {
  readonly args: ReadonlyArray<string>
  /** What the program that runs its file is told before the file. */
  readonly runnerArgs?: ReadonlyArray<string>
  /** Its whole environment; the program gets its own by the launch arguments. */
  readonly env: Readonly<Record<string, string>>
}

/** How an adapter takes hold of what is there already. */
export interface Hold {
  /** The request that does it; with `none` the commands of `prepare` have done it. */
  readonly request: "launch" | "attach" | "none"
  readonly arguments: { readonly [key: string]: unknown }
  /** Nothing stops by itself; whoever wants a stop has to pause. */
  readonly runsOn?: boolean
}

/** A kind of debug adapter. */
export interface Adapter {
  /** The name in `--adapter NAME` and in answers. */
  readonly name: string
  /** Other names of it. */
  readonly aliases: ReadonlyArray<string>
  /** `adapterID` of initialize (DAP). */
  readonly id: string
  /** How its file is called, for adapters that are asked for by path. */
  readonly file: RegExp
  readonly languages: ReadonlyArray<string>
  /** Endings of source files that it runs by itself. */
  readonly extensions: ReadonlyArray<string>
  /**
   * Whether it speaks through its standard streams, or where it says in its first line of output that it listens: at
   * `HOST:PORT` or at the path of a socket.
   */
  readonly transport: "stdio" | { readonly announcement: RegExp }
  /**
   * Where the program's streams are: set by a debugger setting, inherited from the adapter, given to a process that
   * the adapter asks us to start (DAP `runInTerminal`), or nowhere but in `output` events.
   */
  readonly streams: "setting" | "adapter" | "terminal" | "events"
  /** It debugs by child sessions (DAP `startDebugging`), and serves on when a session has ended. */
  readonly children?: true
  /** What listens at a remote place is such an adapter itself, and is spoken to without one of ours. */
  readonly remoteIsAdapter?: boolean
  /** Finds the one to use. Fails with every place that was looked at, or with what is too old. */
  readonly find: (search: Search) => Effect.Effect<Found, Errors.AdapterNotFound | Errors.VersionTooOld, Machine>
  /** Everything of its kind on this machine, also what cannot be used. */
  readonly all: (search: Search) => Effect.Effect<ReadonlyArray<Located>, never, Machine>
  readonly start: (found: Found, launch: Backend.LaunchRequest, directory: string) => Start
  readonly quirks: (major: number) => Quirks
  /** Capabilities that it lacks although no DAP capability says so. */
  readonly lacks?: ReadonlyArray<Capability.Id>
  /** What it is told of sources that were compiled elsewhere; absent when it takes no such thing. */
  readonly mapped?: (map: ReadonlyArray<readonly [string, string]>) => { readonly [key: string]: unknown }
  /** Commands for the debugger's own command line before launch or attach; each must succeed. */
  readonly prepare?: (launch: Backend.LaunchRequest, given: Given) => ReadonlyArray<string>
  /** Whether `prepare` sees to the caller's commands, sources compiled elsewhere and random addresses. */
  readonly fulfils?: boolean
  /** How it takes hold of what is there already. */
  readonly hold: (
    launch: Backend.LaunchRequest,
    existing: Backend.Existing,
    quirks: Quirks
  ) => Result.Result<Hold, Errors.AttachFailed | Errors.Unsupported>
  /** The arguments of launch (DAP). */
  readonly launchArguments: (
    launch: Backend.LaunchRequest,
    given: Given
  ) => Effect.Effect<
    { readonly [key: string]: unknown },
    Errors.LaunchFailed | Errors.Unsupported,
    FileSystem.FileSystem | Path.Path
  >
}
