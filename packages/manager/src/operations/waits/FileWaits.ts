/**
 * What a thread waits for in a system call on a file, a pipe or a process: what it is, and which processes have it. The list of
 * processes is as far as the system tells, so no sentence says that there are no others.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FileHolder, Processes } from "../../ports/Processes.ts"
import type { StopView } from "../../session/values/StopView.ts"
import type { Waiting } from "./ThreadWaits.ts"

/** The object of a wait, who has it as a part of a sentence, and the processes. */
interface FileWait {
  readonly object: string | undefined
  readonly held: string | undefined
  readonly holders: ReadonlyArray<FileHolder>
}

/** Where the files of a wait are looked up. `isShared` is true if the program has the same ids of processes as this system. */
export interface Options {
  readonly view: StopView
  readonly processes: Processes["Service"]
  readonly pid: number
  readonly isShared: boolean
}

/** Most processes that a sentence names. */
const mostNamed = 3

/** Longest path that is read, in bytes (PATH_MAX of Linux). */
const longestPath = 4096

/** Names a descriptor: `fd 3 (pipe 123)`, `fd 5 (/tmp/queue)`. */
const described = Effect.fnUntraced(function* (processes: Processes["Service"], pid: number, fd: number) {
  const target =
    (yield* processes.files?.socket(pid, fd) ?? Effect.undefined) ??
    (yield* processes.descriptor?.(pid, fd) ?? Effect.undefined)
  return target === undefined ? `fd ${fd}` : `fd ${fd} (${target.replace(/^(pipe|socket):\[(\d+)\]$/, "$1 $2")})`
})

/** Returns a process as an answer shows it. */
export const shown = ({ descriptors, name, pid }: FileHolder): Explanation.FileHolder => ({
  pid,
  name,
  ...(descriptors.length === 0 ? {} : { descriptors })
})

/** `this program (fd 4)`, `process 712 (cat)`. */
const labelOf = ({ descriptors, name, pid }: FileHolder, own: number): string =>
  pid === own
    ? `this program${descriptors.length === 0 ? "" : ` (fd ${descriptors.join(", ")})`}`
    : `process ${pid} (${name})`

/** Joins the first names of `count` things. */
const together = (names: ReadonlyArray<string>, count: number): string => {
  const all = [...names, ...(count === names.length ? [] : [`${count - names.length} more`])]
  const last = all.at(-1) ?? ""
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`
}

const listed = (holders: ReadonlyArray<FileHolder>, own: number): string =>
  together(
    holders.slice(0, mostNamed).map((holder) => labelOf(holder, own)),
    holders.length
  )

/** Reads the path of an `open` from the program's memory; undefined if it cannot be read. */
const pathAt = Effect.fnUntraced(
  function* (view: StopView, address: bigint) {
    const { bytes } = yield* view.connection.inspection.memory(address, longestPath)
    const end = bytes.indexOf(0)
    return end <= 0 ? undefined : new TextDecoder().decode(bytes.subarray(0, end))
  },
  Effect.orElseSucceed(() => undefined)
)

/** Describes an `open`. One of a named pipe waits for a process that opens the other end (fifo(7)). */
const opened = Effect.fnUntraced(function* (
  { pid, processes, view }: Options,
  { name, only, path: address = 0n }: NonNullable<Waiting["call"]>
) {
  const path = yield* pathAt(view, address)
  if (path === undefined) return name
  const isPipe = only !== undefined && (yield* processes.files?.isNamedPipe(pid, path) ?? Effect.succeed(false))
  return isPipe ? `named pipe ${path}, which no process has opened to ${only === "read" ? "write" : "read"}` : path
})

/** Returns the processes that have what a thread waits for. */
const holdersOf = (
  { files }: Processes["Service"],
  pid: number,
  { fd, kind, lock }: NonNullable<Waiting["call"]>
): Effect.Effect<ReadonlyArray<FileHolder>> => {
  if (fd === undefined || files === undefined) return Effect.succeed([])
  if (kind === "lock") return lock === undefined ? Effect.succeed([]) : files.lockHolders(pid, fd, lock)
  // A reader waits for those who write, and a writer for those who read.
  if (kind === "read" || kind === "write") {
    return Effect.flatMap(files.pipeHolders(pid, fd, kind === "read" ? "write" : "read"), (found) =>
      found.length > 0 ? Effect.succeed(found) : files.connectionHolders(pid, fd)
    )
  }
  return Effect.succeed([])
}

/** Describes the descriptor of a system call, with the processes that have its file. `object` is undefined without a descriptor. */
export const ofDescriptor = Effect.fnUntraced(function* (
  processes: Processes["Service"],
  pid: number,
  call: NonNullable<Waiting["call"]>
) {
  const holders = yield* holdersOf(processes, pid, call)
  // The daemon itself has the other end of the program's own streams.
  const others = holders.filter((holder) => holder.pid !== processes.self)
  const isOwn = others.length < holders.length
  const found: FileWait = {
    object: call.fd === undefined ? undefined : isOwn ? `fd ${call.fd}` : yield* described(processes, pid, call.fd),
    held: heldBy(call.kind, others, pid, isOwn),
    holders: others
  }
  return found
})

/** Describes what a thread waits for in a system call; undefined if its wait is of another kind. */
export const of = Effect.fnUntraced(function* (options: Options, { call, descriptors, object }: Waiting) {
  const { isShared, pid, processes } = options
  if (call === undefined) return undefined
  if (descriptors !== undefined) {
    const names = yield* Effect.forEach(descriptors.slice(0, mostNamed), (fd) => described(processes, pid, fd))
    const found: FileWait = { object: together(names, descriptors.length), held: undefined, holders: [] }
    return found
  }
  if (call.kind === "unknown") {
    const used = call.fd === undefined ? call.uses : yield* described(processes, pid, call.fd)
    const found: FileWait = {
      object: used === undefined ? object : `${object ?? ""} of ${used}`,
      held: undefined,
      holders: []
    }
    return found
  }
  if (call.kind === "open") {
    const found: FileWait = { object: yield* opened(options, call), held: undefined, holders: [] }
    return found
  }
  if (call.pid !== undefined) {
    const child = !isShared ? undefined : Option.getOrUndefined(yield* processes.describe(call.pid))
    const holders = child === undefined ? [] : [{ pid: child.pid, name: child.name, descriptors: [] }]
    const found: FileWait = {
      object: child === undefined ? object : `process ${child.pid} (${child.name})`,
      held: child?.stopped === true && !child.traced ? "which is stopped" : undefined,
      holders
    }
    return found
  }
  const found = yield* ofDescriptor(processes, pid, call)
  return call.fd === undefined ? { ...found, object } : found
})

/** `held by process 712 (sqlite3)`, `which can be written by this program (fd 4)`. */
const heldBy = (
  kind: string,
  holders: ReadonlyArray<FileHolder>,
  own: number,
  isInput: boolean
): string | undefined => {
  if (kind === "lock") return holders.length === 0 ? undefined : `held by ${listed(holders, own)}`
  const use = kind === "read" ? "written" : "read"
  if (isInput) return kind === "read" ? "the input from this session" : "the output to this session"
  return holders.length === 0 ? undefined : `which can be ${use} by ${listed(holders, own)}`
}
