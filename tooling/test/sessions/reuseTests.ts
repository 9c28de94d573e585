/** Tests of `last-write` for memory that had another owner before, with a real debugger; shared by the live and the long ones. */
import { assert } from "@effect/vitest"
import { WriteRuns } from "@sigtrap/manager"
import { Effect } from "effect"
import { debugging, Programs, type Debugging } from "../support/fixturePrograms.ts"

type Backend = "dap" | "lldb-cli"

/** How long LLDB counts: all writes, or none, so that a debug server does where it can. */
type DebuggerTimeout = "120 seconds" | "1 millis"

const searching =
  ({ call, start }: Debugging, backend: Backend, timeout: DebuggerTimeout) =>
  (args: string, expression: string, nth = 1) =>
    Effect.gen(function* () {
      yield* start("reused", { backend, args: args.split(" "), replace: true })
      return yield* call("last-write", { expression, nth, session: "default", timeout: "120s" })
    }).pipe(Effect.provideService(WriteRuns.DebuggerTimeout, timeout))

/** A block that was freed and allocated again is not the object of the last write to its address. */
export const namesNoEarlierBlock = (backend: Backend, timeout: DebuggerTimeout) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, timeout)
      const freed = yield* Effect.flip(search("freed 40", "second->value"))
      assert.strictEqual(freed._tag, "NeverWritten")
      assert.match(freed.message, new RegExp(`malloc in make reused\\.c:${mark("malloc")} allocated its memory`))
      assert.match(freed.message, new RegExp(`the last write to the address was in set reused\\.c:${mark("set")}$`))
      // The third block at the address was written itself.
      const written = yield* search("written 40", "first->value")
      assert.deepInclude(written.data.write, { new: "39", hit: 120, of: 120, object: "same" })
      assert.strictEqual(written.data.watch?.written_at?.line, mark("set"))
      const earlier = yield* Effect.flip(search("written 4", "first->value", 5))
      assert.match(earlier.message, /was written fewer than 5 times before the stop; malloc in make/)
    })
  )

/** A write that leaves the bytes of an earlier call or block as they are gives the value. */
export const namesAWriteOfTheSameBytes = (backend: Backend, timeout: DebuggerTimeout) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const search = searching(live, backend, timeout)
      const same = { old: "7", new: "7", object: "same" } as const
      const local = yield* search("kept", "kept")
      assert.deepInclude(local.data.write, same)
      assert.strictEqual(local.data.watch?.written_at?.line, line("reused.c", "kept"))
      const block = yield* search("again", "second->value")
      assert.deepInclude(block.data.write, { ...same, hit: 2, of: 2 })
      assert.strictEqual(block.data.watch?.written_at?.line, line("reused.c", "set"))
    })
  )

/** A block that `calloc` fills, and blocks that `realloc` keeps and makes larger. */
export const knowsWhatAllocationsWrite = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, "120 seconds")
      const zeroed = yield* search("zeroed", "second->value")
      assert.deepInclude(zeroed.data.write, { new: "0", object: "allocation" })
      assert.strictEqual(zeroed.data.location?.line, mark("calloc"))
      const kept = yield* search("grown", "numbers[3]")
      assert.deepInclude(kept.data.write, { new: "9", object: "same" })
      assert.strictEqual(kept.data.watch?.written_at?.line, mark("put"))
      const beyond = yield* Effect.flip(search("beyond", "numbers[20]"))
      assert.match(beyond.message, new RegExp(`realloc in main reused\\.c:${mark("realloc")} allocated its memory`))
    })
  )

/** Memory of the stack that a pointer names: of a call that has written nothing, of a call that has ended, and a return address. */
export const knowsTheOwnerOnTheStack = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, "120 seconds")
      const stack = yield* Effect.flip(search("stack", "*place"))
      assert.strictEqual(stack._tag, "NeverWritten")
      assert.match(stack.message, /the last write to its address was in write_below .*before this call of read_below/)
      const ended = yield* search("ended", "*place")
      assert.deepInclude(ended.data.write, { new: "77", object: "unknown" })
      const called = yield* search("call", "*place")
      assert.strictEqual(called.data.watch?.written_by, "main")
      assert.strictEqual(called.data.watch?.written_at?.line, mark("pushes"))
    })
  )
