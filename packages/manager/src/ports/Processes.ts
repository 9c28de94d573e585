/**
 * Processes of this machine, identified so that a reused pid is never mistaken for the process that had it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { KernelProbes } from "./KernelProbes.ts"

/** A process: its pid, and its start time as the operating system writes it. */
export const ProcessId = Schema.Struct({ pid: Schema.Int, started: Schema.String })
/** A process: its pid, and its start time as the operating system writes it. */
export type ProcessId = typeof ProcessId.Type

/** Returns a start time as a number: clock ticks on Linux, a date elsewhere; not a number for another text. */
const startOf = ({ started }: ProcessId): number => (/^\d+$/.test(started) ? Number(started) : Date.parse(started))

/** True if a process started before another one, as far as the system tells. */
export const startedBefore = (one: ProcessId, other: ProcessId): boolean => startOf(one) < startOf(other)

/** Description of a process. `name` is the name of its executable. `sameUser` is true if it runs as the same user. */
export interface Description extends ProcessId {
  readonly parent: number
  readonly name: string
  readonly executable?: string
  readonly command: ReadonlyArray<string>
  readonly sameUser: boolean
  /** True if the file at the path of its executable is another one, or gone. */
  readonly replaced?: boolean
  /** True if the main thread has ended and other threads run. */
  readonly mainEnded?: boolean
  /** True if a debugger is attached. */
  readonly traced: boolean
  /** True if a signal or a debugger has stopped it. */
  readonly stopped: boolean
  /** Resident memory in bytes, if the system says it. */
  readonly memory?: number
}

/** The processor and the operating system of a machine, as Node.js names them: `x64`, `arm64`; `linux`, `darwin`. */
export interface Machine {
  readonly arch: string
  readonly platform: string
}

/** A system call that a thread is in: its number and its six arguments. */
export interface SystemCall {
  readonly number: number
  readonly arguments: ReadonlyArray<bigint>
}

/** A thread as the kernel has it. `isKnown` is false if the kernel does not say; without a `call` the thread runs. */
export interface KernelThread {
  /** The system's id. */
  readonly id: number
  /** The id that the program itself sees, if it is in another namespace of processes (pid_namespaces(7)). */
  readonly inner?: number
  readonly isKnown: boolean
  readonly call?: SystemCall
}

/** A process with a file: its descriptors of the file, none if they are unknown. */
export interface FileHolder {
  readonly pid: number
  readonly name: string
  readonly descriptors: ReadonlyArray<number>
}

/** A lock of a file: of `flock`, or of a part of the file by `fcntl`. */
export type LockKind = "flock" | "fcntl"

/** An end of a pipe. */
export type PipeEnd = "read" | "write"

/** What the system knows of the files of processes. Each list is as far as the system tells. */
export interface ProcessFiles {
  /** Returns the processes that hold a lock of the file of a descriptor. */
  readonly lockHolders: (pid: number, fd: number, kind: LockKind) => Effect.Effect<ReadonlyArray<FileHolder>>
  /** Returns the processes that have an end of the pipe of a descriptor open; none for another file. */
  readonly pipeHolders: (pid: number, fd: number, end: PipeEnd) => Effect.Effect<ReadonlyArray<FileHolder>>
  /** Describes the socket of a descriptor by its addresses, or its path; undefined for another file. */
  readonly socket: (pid: number, fd: number) => Effect.Effect<string | undefined>
  /** Returns the processes that have the other end of the TCP connection of a descriptor; none for another file. */
  readonly connectionHolders: (pid: number, fd: number) => Effect.Effect<ReadonlyArray<FileHolder>>
  /** Returns the descriptors that an epoll descriptor watches, as far as they are open; undefined if unknown. */
  readonly watched: (pid: number, fd: number) => Effect.Effect<ReadonlyArray<number> | undefined>
  /** Returns whether a path of a process, seen from its directory, is a named pipe. */
  readonly isNamedPipe: (pid: number, path: string) => Effect.Effect<boolean>
}

/** Reads and signals processes. No member fails: a process that cannot be inspected counts as absent. */
export class Processes extends Context.Service<
  Processes,
  {
    /** Returns the process that has this pid now. */
    readonly identify: (pid: number) => Effect.Effect<Option.Option<ProcessId>>
    /** Own pid. */
    readonly self: number
    /** This machine; absent if it is unknown. */
    readonly machine?: Machine
    /** Returns the threads of a process with the system calls that they are in. Absent where the system does not tell. */
    readonly threads?: (pid: number) => Effect.Effect<ReadonlyArray<KernelThread>>
    /**
     * Returns how often a thread of a process was taken off a processor; undefined if unknown. The number of a stopped thread grows when it
     * runs and stops again. Absent where the system does not tell.
     */
    readonly switches?: (pid: number, thread: number) => Effect.Effect<number | undefined>
    /** True if a process handles or ignores a signal, by its number. Absent where the system does not tell. */
    readonly handlesSignal?: (pid: number, signal: number) => Effect.Effect<boolean>
    /**
     * True if a process of another PID namespace may have the memory at an address of a process, also if that is not known. Absent where the
     * system has no namespaces.
     */
    readonly isForeignMemory?: (pid: number, address: bigint) => Effect.Effect<boolean>
    /** Returns what a descriptor of a process is: a path, or `pipe:[1234]`; undefined if unknown. */
    readonly descriptor?: (pid: number, fd: number) => Effect.Effect<string | undefined>
    /** Who has the files of a process. Absent where the system does not tell. */
    readonly files?: ProcessFiles
    /** Probes of the kernel. Absent where the system has none. */
    readonly probes?: KernelProbes
    /** Describes the process that has this pid now. */
    readonly describe: (pid: number) => Effect.Effect<Option.Option<Description>>
    /** Returns every process whose executable has this name. */
    readonly named: (name: string) => Effect.Effect<ReadonlyArray<Description>>
    /** Returns every descendant of a process, children before grandchildren. */
    readonly descendants: (pid: number) => Effect.Effect<ReadonlyArray<ProcessId>>
    /**
     * Returns every process of this user, except this one, that has an environment variable with this value. Only Linux can
     * tell; the list is empty on other systems.
     */
    readonly carrying: (value: string) => Effect.Effect<ReadonlyArray<ProcessId>>
    /** Sends a signal if the pid still belongs to the same process. Returns true if it was sent. */
    readonly kill: (process: ProcessId, signal: "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT") => Effect.Effect<boolean>
    /** Completes when the process has exited (or is a zombie), or after `withinMillis`. Returns true if it has exited. */
    readonly awaitExit: (process: ProcessId, withinMillis: number) => Effect.Effect<boolean>
  }
>()("@sigtrap/manager/Processes") {}
