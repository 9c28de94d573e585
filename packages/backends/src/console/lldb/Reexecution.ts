/**
 * What running a program again needs from LLDB: the hit counts of watchpoints with ignored hits, and breakpoints on functions
 * that read what another run may not repeat. These breakpoints are LLDB's only; the manager has no number for them.
 */
import { Breakpoint, Registers } from "@sigtrap/lldb"
import type { Backend, Reexecution } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BreakpointIds } from "../BreakpointIds.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly text: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly watchIds: BreakpointIds
  readonly major: number
}

const Numbers = Schema.fromJsonString(Schema.Array(Schema.Int))

/** What the command `sigtrap-unrepeatable` prints. */
const Reading = Schema.fromJsonString(
  Schema.Struct({
    reads: Schema.optionalKey(Schema.String),
    path: Schema.optionalKey(Schema.String),
    folder: Schema.optionalKey(Schema.Int),
    by: Schema.optionalKey(Schema.String)
  })
)

/** Functions of the C library in which Linux changes memory of the program: it writes a result, or maps or drops pages. */
const systemFunctions: ReadonlyArray<string> = [
  "read pread pread64 readv preadv preadv64 preadv2 preadv64v2 process_vm_readv syscall stat stat64 lstat lstat64",
  "fstat fstat64 fstatat fstatat64 statx __xstat __fxstat statfs statfs64 fstatfs fstatfs64 statvfs fstatvfs",
  "readlink readlinkat getcwd getdents64 readdir_r ioctl fcntl pipe pipe2 socketpair uname sysinfo getrlimit",
  "getrlimit64 prlimit prlimit64 sigaction sigprocmask pthread_sigmask sigaltstack sigpending sigwait sigwaitinfo",
  "sigtimedwait nanosleep clock_nanosleep wait waitpid wait3 wait4 waitid getgroups getresuid getresgid",
  "sched_getaffinity sched_getparam getxattr fgetxattr lgetxattr listxattr flistxattr mmap mmap64 munmap mremap",
  "madvise mincore msgrcv mq_receive shmat sendfile copy_file_range splice getitimer inotify_init prctl",
  "getsockopt getsockname getpeername sched_getattr clock_getres timer_gettime timer_settime",
  "timerfd_gettime timerfd_settime setitimer mq_getattr mq_setattr mq_timedreceive msgctl semctl shmctl shmdt capget",
  "process_vm_writev recvmmsg brk sbrk get_mempolicy getcontext swapcontext __sigsetjmp name_to_handle_at quotactl"
].flatMap((group) => group.split(" "))

/** What the command `sigtrap-kernel-end` prints. */
const Recorded = Schema.fromJsonString(
  Schema.Struct({
    shared: Schema.Boolean,
    forgotten: Schema.Int,
    writes: Schema.Array(
      Schema.Struct({
        hits: Schema.Int,
        call: Schema.String,
        at: Schema.optionalKey(Schema.String),
        bytes: Schema.optionalKey(Schema.String)
      })
    )
  })
)

/** Functions that return a block of memory, of the C library, of C++ and of Rust. */
const allocationFunctions: ReadonlyArray<string> = [
  ..."malloc calloc realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc".split(" "),
  "operator new",
  "operator new[]",
  "__rust_alloc",
  "__rust_alloc_zeroed",
  "__rust_realloc"
]

/** Most calls of allocation functions that are recorded. Each takes LLDB two to four milliseconds. */
const mostAllocations = 3000

/** What the command `sigtrap-allocations-end` prints. */
const Allocated = Schema.fromJsonString(
  Schema.Struct({
    complete: Schema.Boolean,
    last: Schema.optionalKey(
      Schema.Struct({
        function: Schema.String,
        at: Schema.optionalKey(Schema.String),
        inside: Schema.Boolean,
        returns: Schema.String,
        result: Schema.String,
        passes: Schema.Int
      })
    )
  })
)

/** What the command `sigtrap-watch-stop` prints. */
const WriteStop = Schema.fromJsonString(Schema.Struct({ write: Schema.Boolean, breakpoint: Schema.Boolean }))

const Kind = Schema.Literals(["static", "stack", "dynamic"])

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

/** Makes the requests of one connection. */
export const make = ({ major, text, watchIds }: Options): Reexecution.Reexecution => ({
  hits: Effect.fnUntraced(function* (id) {
    const parts = watchIds.allOf(id)
    const answers = yield* Effect.forEach(parts, (part) => text(`watchpoint list -v ${part}`))
    const hits = answers.map(Breakpoint.watchHits)
    if (parts.length > 0 && hits.every((count) => count !== undefined))
      return hits.reduce((sum, count) => sum + count, 0)
    return yield* new Errors.AdapterError({ command: "watchpoint list", detail: answers.join("").trim().slice(0, 300) })
  }),
  stopAtWrites: Effect.fnUntraced(function* (id, from) {
    const parts = watchIds.allOf(id)
    if (from === undefined) {
      return yield* Effect.forEach(parts, (part) => text(`watchpoint command delete ${part}`), { discard: true })
    }
    const answer = yield* text(`sigtrap-watch-from ${from} ${parts.join(" ")}`)
    if (answer.trim() === `${from}`) return
    return yield* new Errors.AdapterError({ command: "sigtrap-watch-from", detail: answer.trim().slice(0, 300) })
  }),
  writeStop: Effect.flatMap(text("sigtrap-watch-stop"), (output) =>
    Option.match(Schema.decodeOption(WriteStop)(output.trim()), {
      onNone: () =>
        Effect.fail(new Errors.AdapterError({ command: "sigtrap-watch-stop", detail: output.trim().slice(0, 300) })),
      onSome: ({ breakpoint, write }) => Effect.succeed({ isWrite: write, isBreakpoint: breakpoint })
    })
  ),
  stopAtCalls: Effect.fnUntraced(function* (names) {
    const built = Breakpoint.atEntries(names, major)
    const made = Result.isSuccess(built) ? Breakpoint.created(yield* text(built.success)) : undefined
    const numbers = Schema.decodeOption(Numbers)((yield* text("sigtrap-stop-at-instructions")).trim())
    const ids = [...(made === undefined ? [] : [made.id]), ...Option.getOrElse(numbers, () => [])]
    return ids.length === 0 ? Effect.void : Effect.asVoid(text(`breakpoint delete ${ids.join(" ")}`))
  }),
  seed: Effect.map(text("sigtrap-seed"), (output) => /^[0-9a-f]{32}$/.exec(output.trim())?.[0]),
  plant: (seed) => Effect.asVoid(text(`sigtrap-set-seed ${seed}`)),
  readingAt: (frame) =>
    Effect.map(text("sigtrap-unrepeatable", frame), (output) => {
      const found = Option.getOrUndefined(Schema.decodeOption(Reading)(output.trim()))
      if (found?.by === undefined) return undefined
      const { by, folder, path, reads } = found
      if (reads !== undefined) return { by, reads }
      if (path === undefined) return undefined
      return { by, path: BigInt(path), ...(folder === undefined ? {} : { folder }) }
    }),
  recordSystem: Effect.fnUntraced(function* ({ address, size }, id) {
    const built = Breakpoint.atEntries(systemFunctions, major)
    const made = Result.isSuccess(built) ? Breakpoint.created(yield* text(built.success)) : undefined
    const watch = id === undefined ? [] : watchIds.allOf(id)
    const names = JSON.stringify(systemFunctions)
    // The address is an integer of JSON for Python, which has no limit of 53 bits.
    yield* text(
      `sigtrap-kernel-begin {"address":${BigInt(address)},"size":${size},"watch":[${watch.join(",")}],"breakpoint":${made?.id ?? 0},"names":${names}}`
    )
  }),
  systemWrites: Effect.flatMap(text("sigtrap-kernel-end"), (output) =>
    Option.match(Schema.decodeOption(Recorded)(output.trim()), {
      onNone: () =>
        Effect.fail(new Errors.AdapterError({ command: "sigtrap-kernel-end", detail: output.trim().slice(0, 300) })),
      onSome: ({ forgotten, shared, writes }) =>
        Effect.succeed({
          shared,
          forgotten: forgotten < 0 ? undefined : forgotten,
          writes: writes.map(({ bytes, ...rest }) => (bytes === undefined ? rest : { ...rest, bytes: bytesOf(bytes) }))
        })
    })
  ),
  kindOf: (address) =>
    Effect.map(text(`sigtrap-memory ${address}`), (output) =>
      Option.getOrUndefined(Schema.decodeUnknownOption(Kind)(output.trim()))
    ),
  recordAllocations: Effect.fnUntraced(function* (address) {
    const built = Breakpoint.atEntries(allocationFunctions, major)
    const made = Result.isSuccess(built) ? Breakpoint.created(yield* text(built.success)) : undefined
    yield* text(
      `sigtrap-allocations-begin {"address":${BigInt(address)},"breakpoint":${made?.id ?? 0},"limit":${mostAllocations}}`
    )
  }),
  allocations: Effect.map(text("sigtrap-allocations-end"), (output) =>
    Option.match(Schema.decodeOption(Allocated)(output.trim()), {
      onNone: () => ({ isComplete: false, last: undefined }),
      onSome: ({ complete, last }) => ({
        isComplete: complete,
        last:
          last === undefined
            ? undefined
            : {
                function: last.function,
                at: last.at,
                isInside: last.inside,
                returns: BigInt(last.returns),
                result: BigInt(last.result),
                passes: last.passes
              }
      })
    })
  ),
  argument: (frame, index) => Effect.map(text(Registers.argument(index), frame), Registers.only)
})
