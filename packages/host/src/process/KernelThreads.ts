/**
 * What the kernel says of the threads of a process: the system call of each, from `/proc/PID/task/TID/syscall` (proc(5)), how often it
 * ran, and the file of a descriptor. Only Linux has it. The files are read without blocking this thread.
 */
import type { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import { readdir, readFile, readlink } from "node:fs/promises"

/** Number of threads that are read at a time. */
const concurrency = 32

/** Parses a line of `syscall`: the number and six arguments; `running` and -1 mean no call. */
const parse = (line: string): Processes.SystemCall | undefined => {
  const [number = "", ...rest] = line.trim().split(" ")
  if (!/^\d+$/.test(number) || rest.length < 6) return undefined
  const values = rest.slice(0, 6)
  return values.every((value) => /^0x[0-9a-f]+$/.test(value))
    ? { number: Number(number), arguments: values.map(BigInt) }
    : undefined
}

const text = (path: string) =>
  Effect.tryPromise(() => readFile(path, "latin1")).pipe(Effect.orElseSucceed(() => undefined))

/** Returns the id in the innermost namespace, from the text of `status`; undefined if the process has one id only. */
const innerOf = (status: string | undefined): number | undefined => {
  const ids =
    /^NSpid:\s*(.+)$/m
      .exec(status ?? "")?.[1]
      ?.trim()
      .split(/\s+/) ?? []
  return ids.length < 2 ? undefined : Number(ids.at(-1))
}

/** Returns the threads of a process; none if it has ended or belongs to another user. */
export const read = Effect.fn("KernelThreads.read")(function* (pid: number) {
  const names = yield* Effect.tryPromise(() => readdir(`/proc/${pid}/task`)).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )
  const isNested = innerOf(yield* text(`/proc/${pid}/status`)) !== undefined
  return yield* Effect.forEach(
    names.filter((name) => /^\d+$/.test(name)),
    Effect.fnUntraced(function* (name) {
      const line = yield* text(`/proc/${pid}/task/${name}/syscall`)
      const call = line === undefined ? undefined : parse(line)
      const inner = isNested ? innerOf(yield* text(`/proc/${pid}/task/${name}/status`)) : undefined
      const thread: Processes.KernelThread = {
        id: Number(name),
        isKnown: line !== undefined,
        ...(inner === undefined ? {} : { inner }),
        ...(call === undefined ? {} : { call })
      }
      return thread
    }),
    { concurrency }
  )
})

/** Returns how often a thread was taken off a processor, from `/proc/PID/task/TID/status` (proc_pid_status(5)); undefined if unknown. */
export const switches = (pid: number, thread: number): Effect.Effect<number | undefined> =>
  Effect.map(text(`/proc/${pid}/task/${thread}/status`), (status = "") => {
    const counts = [...status.matchAll(/^(?:non)?voluntary_ctxt_switches:\s*(\d+)$/gm)]
    return counts.length === 0 ? undefined : counts.reduce((sum, [, count]) => sum + Number(count), 0)
  })

/** Returns whether a process handles or ignores a signal, from `/proc/PID/status` (proc_pid_status(5)); false for a process that has ended. */
export const handlesSignal = (pid: number, signal: number): Effect.Effect<boolean> =>
  Effect.map(text(`/proc/${pid}/status`), (status = "") =>
    [...status.matchAll(/^Sig(?:Cgt|Ign):\s*([0-9a-f]+)$/gm)].some(
      ([, mask = "0"]) => ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
    )
  )

/** Returns the file, pipe or socket of a descriptor, as the kernel writes it: `pipe:[1234]`. */
export const descriptor = (pid: number, fd: number): Effect.Effect<string | undefined> =>
  Effect.tryPromise(() => readlink(`/proc/${pid}/fd/${fd}`)).pipe(Effect.orElseSucceed(() => undefined))
