/** The tasks of Delve and debugpy, from answers as those debuggers give them. */
import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as DebugpyTasks from "../../src/adapters/DebugpyTasks.ts"
import * as DelveTasks from "../../src/adapters/DelveTasks.ts"

const refused = (detail: string) => Effect.fail(new Errors.AdapterError({ command: "evaluate", detail }))

const root = "/usr/lib/go-1.19/src"

const frames = (
  handle: number,
  ...places: ReadonlyArray<readonly [string, string]>
): ReadonlyArray<Backend.StackFrame> =>
  places.map(([name, file], index) => ({ handle: handle + index, function: name, file, line: 7 }))

const parked = ["runtime.gopark", `${root}/runtime/proc.go`] as const

/** The stacks and the answers of goroutines by their handle; an answer that is missing is an error. */
const goroutines = [
  {
    stack: frames(10, parked, ["runtime.chanrecv1", `${root}/runtime/chan.go`], ["main.receive", "/src/app.go"]),
    answers: {
      "runtime.curg.atomicstatus": "4 = 0x4",
      "runtime.curg.waitreason": "waitReasonChanReceive (14) = 0xe",
      "uintptr(runtime.curg.waiting.c)": "824634269792 = 0xc000086060"
    }
  },
  {
    stack: frames(20, parked, ["sync.(*Mutex).Lock", `${root}/sync/mutex.go`], ["main.lock", "/src/app.go"]),
    answers: {
      "runtime.curg.atomicstatus.value": "4100 = 0x1004",
      "runtime.curg.waitreason": "18"
    }
  },
  {
    stack: frames(30, ["main.main", "/src/app.go"]),
    answers: {
      "runtime.curg.atomicstatus": "2 = 0x2",
      // The reason of the wait before.
      "runtime.curg.waitreason": "waitReasonSleep (19) = 0x13"
    }
  },
  { stack: [], answers: {} }
] as const

const words: Readonly<Record<string, string>> = { 14: '"chan receive"', 18: '"semacquire"', 19: '"sleep"' }

const answerOf = (expression: string, frame: number): string | undefined => {
  const index = /^runtime\.waitReasonStrings\[(\d+)\]$/.exec(expression)?.[1]
  if (index !== undefined) return words[index]
  const found: Readonly<Record<string, string>> =
    goroutines.find(({ stack }) => stack[0]?.handle === frame)?.answers ?? {}
  return found[expression]
}

const unused = () => refused("unused")

describe("the tasks", () => {
  it.effect("of Delve have the state and the wait of the Go runtime, and no wait while they run", () =>
    Effect.gen(function* () {
      const { list } = DelveTasks.make({
        threads: Effect.succeed([{ id: 6 }, { id: 7 }, { id: 1 }, { id: 9 }]),
        stack: (thread) => Effect.succeed({ frames: goroutines[[6, 7, 1, 9].indexOf(thread)]?.stack ?? [] }),
        text: (expression, frame) => {
          const text = answerOf(expression, frame)
          return text === undefined ? refused(expression) : Effect.succeed(text)
        },
        raised: unused
      })
      assert.deepStrictEqual(
        (yield* list).tasks.map(({ awaits, frames: [frame], id, state, wait }) => [
          id,
          state,
          wait,
          awaits,
          frame?.function
        ]),
        [
          ["6", "waiting", "chan receive", "channel 0xc000086060", "main.receive"],
          ["7", "waiting", "semacquire in sync.(*Mutex).Lock", undefined, "main.lock"],
          ["1", "running", undefined, undefined, "main.main"],
          ["9", "unknown", undefined, undefined, undefined]
        ]
      )
    })
  )

  it.effect("of Delve say if there may be more goroutines than Delve reads", () =>
    Effect.gen(function* () {
      const isCut = (count: number, known: number | undefined) =>
        DelveTasks.make({
          threads: Effect.succeed(Array.from({ length: count }, (_, id) => ({ id }))),
          stack: () => Effect.succeed({ frames: frames(30, ["main.main", "/src/app.go"]) }),
          text: (expression) =>
            expression === "runtime.allglen" && known !== undefined
              ? Effect.succeed(`${known} = 0x${known.toString(16)}`)
              : refused(expression),
          raised: unused
        }).list.pipe(Effect.map(({ cut }) => cut ?? false))
      // Goroutines of the runtime are read and left out.
      assert.isTrue(yield* isCut(1020, 5001))
      assert.isFalse(yield* isCut(1020, 1024))
      assert.isFalse(yield* isCut(900, 5001))
      assert.isTrue(yield* isCut(1024, undefined))
      assert.isFalse(yield* isCut(1020, undefined))
    })
  )

  const place = (name: string, module?: string) => ({
    function: name,
    file: module === undefined ? "/src/app.py" : `/usr/lib/python3.11/${module}.py`,
    line: 3,
    ...(module === undefined ? {} : { module })
  })

  const answer = {
    threads: [
      {
        name: "MainThread",
        id: 40,
        held: false,
        frames: [
          place("EpollSelector.select", "selectors"),
          place("BaseEventLoop.run_forever", "asyncio"),
          place("<module>")
        ]
      },
      { name: "worker", id: 41, held: false, frames: [place("work")] },
      {
        name: "locker",
        id: 45,
        held: false,
        frames: [place("lock")],
        lock: { kind: "threading.Lock", name: "stock.guard" },
        other: { name: "keeper", id: 47 }
      },
      {
        name: "other",
        id: 46,
        held: false,
        frames: [place("lock")],
        lock: { kind: "threading.RLock", name: "stock.other" }
      },
      {
        name: "target",
        id: 43,
        held: false,
        frames: [
          place("Condition.wait", "threading"),
          place("Event.wait", "threading"),
          place("Thread.run", "threading"),
          place("Thread._bootstrap", "threading")
        ]
      },
      // A function in C that Python's thread calls directly.
      { name: "native", id: 44, held: false, frames: [place("Thread.run", "threading")] },
      { name: "stopped", id: 42, held: true, frames: [place("Condition.wait", "threading"), place("stop")] }
    ],
    tasks: [
      {
        id: "a",
        name: "second",
        state: "waiting",
        awaits: [],
        frames: [place("Lock.acquire", "asyncio"), place("_ContextManagerMixin.__aenter__", "asyncio"), place("locker")]
      },
      { id: "b", name: "joined", state: "waiting", awaits: [{ name: "second", id: "a" }], frames: [place("joined")] }
    ]
  }

  const hexadecimal = (text: string) =>
    Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")

  it.effect("of debugpy are in the text of the exception; a thread in C may run or wait", () =>
    Effect.gen(function* () {
      const { list, runsCode } = DebugpyTasks.make({
        threads: unused(),
        stack: unused,
        text: unused,
        raised: () => Effect.succeed(`Traceback…\nRuntimeError: sigtrap:${hexadecimal(JSON.stringify(answer))}\n`)
      })
      assert.isTrue(runsCode)
      assert.deepStrictEqual(
        (yield* list).tasks.map(({ awaits, frames: [frame], name, os_id, state, wait }) => [
          name,
          state,
          wait ?? awaits,
          frame?.function,
          os_id
        ]),
        [
          ["MainThread", "waiting", "events of the loop", "<module>", undefined],
          ["worker", "unknown", undefined, "work", 41],
          ["locker", "waiting", "threading.Lock", "lock", undefined],
          ["other", "waiting", "threading.RLock", "lock", undefined],
          ["target", "waiting", "threading.Event.wait", "Condition.wait", undefined],
          ["native", "unknown", undefined, "Thread.run", 44],
          ["stopped", "running", undefined, "stop", undefined],
          ["joined", "waiting", 'task "second"', "joined", undefined],
          ["second", "waiting", "asyncio.Lock.acquire", "locker", undefined]
        ]
      )
      assert.deepStrictEqual(
        (yield* list).tasks.slice(2, 4).map(({ awaits, waits_on: on }) => [awaits, on]),
        [
          ['stock.guard, held by thread "keeper"', ["47"]],
          ["stock.other", undefined]
        ]
      )
    })
  )

  it.effect("of debugpy fail with its text if it answers something else", () =>
    Effect.gen(function* () {
      const { list } = DebugpyTasks.make({
        threads: unused(),
        stack: unused,
        text: unused,
        raised: () => Effect.succeed("NameError: no")
      })
      assert.deepInclude(yield* Effect.flip(list), { _tag: "AdapterError", detail: "NameError: no" })
    })
  )
})
