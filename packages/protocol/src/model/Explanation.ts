/**
 * Why a program is where it is: the answer of `explain`.
 *
 * Every fact names its source in `by`. What cannot be shown by such a source is absent or `unknown`.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Frame, Thread } from "./Frame.ts"
import * as Hint from "../answers/Hint.ts"
import { Position } from "./Location.ts"
import { TaskGroup } from "./Task.ts"

const causes = ["crash", "hang", "sanitizer", "exception", "exit", "stop"] as const

/** The schema of what is explained. */
export interface CauseSchema extends Schema.Literals<typeof causes> {}

/** What is explained. `stop` is a stop that is none of the others, such as one at a breakpoint. */
export const Cause: CauseSchema = Schema.Literals(causes)
/** What is explained. */
export type Cause = typeof Cause.Type

const sources = ["debugger", "kernel", "registers", "memory", "stack", "output", "sanitizer", "core"] as const

/** The schema of the source of a fact. */
export interface BySchema extends Schema.Literals<typeof sources> {}

/**
 * The source of a fact: what the debugger says, what the kernel says of the process, registers and operands of an instruction, memory
 * of the program, functions on the stack, output of the program, the report of a sanitizer, or notes of the core file.
 */
export const By: BySchema = Schema.Literals(sources).annotate({ identifier: "ExplanationBy" })
/** The source of a fact. */
export type By = typeof By.Type

/** An expression of the source and its value at the stop. */
export class NamedValue extends Model.of<NamedValue>()(
  Schema.Struct({ expression: Schema.String, value: Schema.String }).annotate({ identifier: "NamedValue" })
) {}

const factKinds = [
  "signal",
  "sender",
  "address",
  "expression",
  "instruction",
  "recursion",
  "message",
  "exception",
  "report",
  "exit",
  "stop",
  "handler",
  "activity",
  "limit"
] as const

/** The schema of the kind of a fact. */
export interface FactKindSchema extends Schema.Literals<typeof factKinds> {}

/**
 * The kind of a fact. `signal`: signal and code. `sender`: the process that sent it. `address`: the meaning of the address that faulted.
 * `expression`: the part of the source line that faulted. `instruction`: what the instruction did. `recursion`: a function that called
 * itself. `message`: what the runtime said before it ended the program. `report`: what a sanitizer found. `handler`: the code
 * that a signal interrupted whose handler runs. `activity`: whether threads ran
 * before the pause. `limit`: what could not be read.
 */
export const FactKind: FactKindSchema = Schema.Literals(factKinds).annotate({ identifier: "FactKind" })
/** The kind of a fact. */
export type FactKind = typeof FactKind.Type

/**
 * A fact: a clause for people, and the same as data. `address` is the address that faulted, `access` what was done there, `size` in
 * bytes. `values` are the expressions from which `expression` is computed, the wrong one last. `frame` is the number of the frame that a
 * signal interrupted.
 */
export class Fact extends Model.of<Fact>()(
  Schema.Struct({
    kind: FactKind,
    text: Schema.String,
    by: By,
    address: Schema.optionalKey(Schema.String),
    access: Schema.optionalKey(Schema.Literals(["read", "write", "execute"])),
    size: Schema.optionalKey(Schema.Int),
    expression: Schema.optionalKey(Schema.String),
    values: Schema.optionalKey(Schema.Array(NamedValue)),
    signal: Schema.optionalKey(Schema.String),
    code: Schema.optionalKey(Schema.String),
    pid: Schema.optionalKey(Schema.Int),
    frame: Schema.optionalKey(Schema.Int)
  }).annotate({ identifier: "Fact" })
) {}

const waitKinds = [
  "mutex",
  "rwlock",
  "condition",
  "semaphore",
  "barrier",
  "latch",
  "once",
  "future",
  "park",
  "join",
  "futex",
  "read",
  "write",
  "accept",
  "connect",
  "poll",
  "sleep",
  "child",
  "signal",
  "channel",
  "lock",
  "library",
  "open",
  "task",
  "events",
  "runs",
  "unknown"
] as const

/** The schema of the kind of a wait. */
export interface WaitKindSchema extends Schema.Literals<typeof waitKinds> {}

/**
 * What threads wait for. `runs` is a thread that does not wait; `futex` is a lock of an unknown kind; `once` is the end of an
 * initialization that another thread runs; `park` is a thread that another one must wake; `lock` is the lock of a file, `library` a lock
 * of the C library for its own data, such as that of a stream; `events` is an event loop that runs no code of the program.
 */
export const WaitKind: WaitKindSchema = Schema.Literals(waitKinds).annotate({ identifier: "WaitKind" })
/** What threads wait for. */
export type WaitKind = typeof WaitKind.Type

/**
 * The owner of what is waited for. `thread` is a thread of the program, `os_id` the system's id of the owner. `state`: `alive` if the
 * thread or process exists, `dead` if the owner ended without a release, `unknown` if it is a thread of another process.
 */
export class Owner extends Model.of<Owner>()(
  Schema.Struct({
    thread: Schema.optionalKey(Thread),
    os_id: Schema.Int,
    state: Schema.Literals(["alive", "dead", "unknown"])
  }).annotate({ identifier: "WaitOwner" })
) {}

/** A process that has the file of a wait. `descriptors` are those of the file in it, if they are known. */
export class FileHolder extends Model.of<FileHolder>()(
  Schema.Struct({
    pid: Schema.Int,
    name: Schema.String,
    descriptors: Schema.optionalKey(Schema.Array(Schema.Int))
  }).annotate({ identifier: "FileHolder" })
) {}

/**
 * Threads with equal stacks that wait for the same. `object` is an address, a path, `fd 3` or the name of a system call, `symbol` the
 * variable at the address, `expression` what names it in a waiting line. `stack` has the innermost frames of the user, of the first of
 * these threads. If these are functions of the program that only wait, such as those of a class of locks, `caller` called them. `text` is
 * the whole as a clause.
 */
export class Wait extends Model.of<Wait>()(
  Schema.Struct({
    threads: Schema.Array(Thread),
    count: Schema.Int,
    kind: WaitKind,
    text: Schema.String,
    object: Schema.optionalKey(Schema.String),
    symbol: Schema.optionalKey(Schema.String),
    expression: Schema.optionalKey(Schema.String),
    owner: Schema.optionalKey(Owner),
    /** The wait ends by itself after a time. A sleep does so too, without this. */
    limited: Schema.optionalKey(Schema.Literal(true)),
    /**
     * How often its threads were taken off a processor while the running program was watched, if each of them ran in both halves of that
     * time: they wait for what comes again and again.
     */
    switches: Schema.optionalKey(Schema.Int),
    /** Processes that hold the lock of a file, that have the other end of a pipe open, or that are waited for; as far as known. */
    processes: Schema.optionalKey(Schema.Array(FileHolder)),
    stack: Schema.Array(Frame),
    caller: Schema.optionalKey(Frame),
    by: Schema.Array(By)
  }).annotate({ identifier: "Wait" })
) {}

/** A thread in a cycle of threads that wait for each other. */
export class CycleEdge extends Model.of<CycleEdge>()(
  Schema.Struct({ thread: Thread, waits_for: Schema.String, held_by: Thread }).annotate({ identifier: "CycleEdge" })
) {}

/** Frames of the user in which memory was allocated or freed. */
export class MemoryEvent extends Model.of<MemoryEvent>()(
  Schema.Struct({ thread: Schema.optionalKey(Schema.Int), frames: Schema.Array(Position) }).annotate({
    identifier: "MemoryEvent"
  })
) {}

/**
 * One access of a data race. `thread` is the sanitizer's number, 0 for the main thread; `os_id` is the system's. The thread held
 * `locks` mutexes. `frames` are those of the user, the innermost one first.
 */
export class RacingAccess extends Model.of<RacingAccess>()(
  Schema.Struct({
    access: Schema.Literals(["read", "write"]),
    atomic: Schema.optionalKey(Schema.Literal(true)),
    size: Schema.Int,
    address: Schema.String,
    thread: Schema.Int,
    os_id: Schema.optionalKey(Schema.Int),
    locks: Schema.Int,
    frames: Schema.Array(Position)
  }).annotate({ identifier: "RacingAccess" })
) {}

/**
 * The report of a sanitizer. `kind` is its word, such as `heap-use-after-free`. `accesses` are those of a data race, the later one
 * first; `object` says what the memory is.
 */
export class SanitizerReport extends Model.of<SanitizerReport>()(
  Schema.Struct({
    tool: Schema.String,
    kind: Schema.String,
    access: Schema.optionalKey(Schema.Literals(["read", "write"])),
    size: Schema.optionalKey(Schema.Int),
    address: Schema.optionalKey(Schema.String),
    allocated: Schema.optionalKey(MemoryEvent),
    freed: Schema.optionalKey(MemoryEvent),
    accesses: Schema.optionalKey(Schema.Array(RacingAccess)),
    object: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "SanitizerReport" })
) {}

/**
 * Why the program is here. `user_frame` is the innermost frame of the user; absent if there is none. `tasks` has what the tasks of the
 * language's runtime wait for, in place of `waits`. `watched_ms` is the time for which a running program was watched before it was
 * paused.
 */
export class Explanation extends Model.of<Explanation>()(
  Schema.Struct({
    what: Cause,
    summary: Schema.String,
    thread: Schema.optionalKey(Thread),
    threads: Schema.optionalKey(Schema.Int),
    user_frame: Schema.optionalKey(Frame),
    callers: Schema.optionalKey(Schema.Array(Frame)),
    facts: Schema.Array(Fact),
    waits: Schema.Array(Wait),
    watched_ms: Schema.optionalKey(Schema.Int),
    tasks: Schema.optionalKey(Schema.Array(TaskGroup)),
    cycles: Schema.Array(Schema.Array(CycleEdge)),
    sanitizer: Schema.optionalKey(SanitizerReport),
    next: Hint.Hints
  }).annotate({ identifier: "Explanation" })
) {}
