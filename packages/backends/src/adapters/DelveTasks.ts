/**
 * Goroutines under Delve, with the state and the wait reason that the Go runtime keeps in each (`runtime.g`).
 *
 * A thread of Delve is a goroutine. `runtime.curg` is the goroutine of a frame. The words of wait reasons are those of the program's
 * own runtime, since their numbers differ between versions of Go.
 */
import type { Backend, Tasks } from "@sigtrap/manager"
import type { Location, Task } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as RuntimeTasks from "./RuntimeTasks.ts"

/** Frames of each goroutine that are read. */
const depth = 32

/** The most goroutines that Delve reads. It leaves out those of the runtime, which are not as many as the second number. */
const mostGoroutines = 1024
const mostHidden = 64

/** States of a goroutine (runtime2.go). The garbage collector adds `scanning`. */
const states: { readonly [status: number]: Task.TaskState } = {
  1: "runnable",
  2: "running",
  3: "syscall",
  4: "waiting",
  9: "waiting"
}
const scanning = 0x1000

/** Returns the number of `4`, `4 = 0x4` and `waitReasonSleep (19) = 0x13`. */
const digits = (text: string | undefined): number | undefined => {
  const found = /^(?:[\w.]+ \()?(\d+)\)?(?: = 0x[\da-f]+)?$/.exec(text ?? "")?.[1]
  return found === undefined ? undefined : Number(found)
}

/**
 * Returns the innermost frames of Go's own packages, and the others. The folder of those packages is the one that has the runtime. All
 * are of the user if none is.
 */
const split = (frames: ReadonlyArray<Backend.StackFrame>) => {
  const runtime = frames.find(({ file, function: name }) => name.startsWith("runtime.") && file !== undefined)
  const root = /^(.*\/src\/)runtime\/[^/]*$/.exec(runtime?.file ?? "")?.[1]
  const first = root === undefined ? 0 : frames.findIndex(({ file }) => file?.startsWith(root) !== true)
  if (first === -1) return { library: [], user: frames }
  const user = frames.slice(first).filter(({ file }) => root === undefined || file?.startsWith(root) !== true)
  return { library: frames.slice(0, first), user }
}

const placeOf = ({ address, column, file, function: name, line, module }: Backend.StackFrame): Location.Position => ({
  function: name,
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  ...(module === undefined ? {} : { module }),
  ...(address === undefined ? {} : { address })
})

/** Returns the list of goroutines of a connection. */
export const make: RuntimeTasks.Make = ({ stack, text, threads }) => {
  /** Words of wait reasons by number; undefined if the program has none. */
  const words = new Map<number, string | undefined>()

  const optional = (expression: string, frame: number) =>
    text(expression, frame).pipe(Effect.catchTag("AdapterError", () => Effect.succeed(undefined)))

  const wordOf = Effect.fnUntraced(function* (reason: number, frame: number) {
    if (words.has(reason)) return words.get(reason)
    const shown = yield* optional(`runtime.waitReasonStrings[${reason}]`, frame)
    const word = /^"(.*)"$/.exec(shown ?? "")?.[1]
    words.set(reason, word === "" ? undefined : word)
    return words.get(reason)
  })

  const stateOf = Effect.fnUntraced(function* (frame: number) {
    // Since Go 1.20 the status is an atomic value.
    const plain = digits(yield* optional("runtime.curg.atomicstatus", frame))
    const status = plain ?? digits(yield* optional("runtime.curg.atomicstatus.value", frame))
    return status === undefined ? "unknown" : (states[status & ~scanning] ?? "unknown")
  })

  const one = Effect.fnUntraced(function* (thread: Backend.Thread) {
    const { frames } = yield* stack(thread.id, 0, depth)
    const handle = frames[0]?.handle
    const state: Task.TaskState = handle === undefined ? "unknown" : yield* stateOf(handle)
    const { library, user } = split(frames)
    const task: Tasks.RuntimeTask = { id: String(thread.id), kind: "goroutine", state, frames: user.map(placeOf) }
    // The reason of an earlier wait remains in a goroutine that runs.
    if (state !== "waiting" || handle === undefined) return task
    const reason = digits(yield* optional("runtime.curg.waitreason", handle))
    const wait = reason === undefined ? undefined : yield* wordOf(reason, handle)
    // A select waits for several channels, of which this is only one.
    const channel = wait?.startsWith("chan ") === true ? yield* optional("uintptr(runtime.curg.waiting.c)", handle) : ""
    const address = digits(channel) ?? 0
    const called = library.at(-1)?.function ?? ""
    const by = /^(?:runtime\.|$)/.test(called) ? "" : ` in ${called}`
    return {
      ...task,
      ...(wait === undefined ? {} : { wait: `${wait}${by}` }),
      ...(address === 0 ? {} : { awaits: `channel 0x${address.toString(16)}` })
    }
  })

  /** True if there are probably goroutines that Delve did not read: `runtime.allglen` counts also those that have ended. */
  const isCut = Effect.fnUntraced(function* (all: ReadonlyArray<Backend.Thread>) {
    const [first] = all
    if (first === undefined || all.length < mostGoroutines - mostHidden) return false
    const handle = (yield* stack(first.id, 0, 1)).frames[0]?.handle
    const known = handle === undefined ? undefined : digits(yield* optional("runtime.allglen", handle))
    return known === undefined ? all.length >= mostGoroutines : known > mostGoroutines
  })

  return {
    runsCode: false,
    list: Effect.gen(function* () {
      const all = yield* threads
      const tasks = yield* Effect.forEach(all, one)
      return { tasks, ...((yield* isCut(all)) ? { cut: true as const } : {}) }
    })
  }
}
