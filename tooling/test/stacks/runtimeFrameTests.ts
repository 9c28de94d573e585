/** Tests of stops inside a library, for each LLDB backend: the report shows the frame with the user's source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"

const program = "library_stops"
const file = `${program}.c`

const names = (frames: ReadonlyArray<{ readonly function: string }> = []) => frames.map((frame) => frame.function)

const stopIn = ({ start }: Debugging, adapter: string, kind: string) =>
  Effect.map(start(program, { adapter, args: [kind], replace: true }), ({ data }) => data)

/** Defines the tests of one adapter. */
export const runtimeFrameTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(
    `a stop in a library, under ${adapter}`,
    (it) => {
      it.effect("of a failed assertion is shown at the assertion", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            const data = yield* stopIn(own, adapter, "assert")
            assert.deepInclude(data, { reason: "assert", signal: "SIGABRT", description: "items != NULL" })
            assert.deepInclude(data.location, { function: "checked", line: line(file, "assert") })
            assert.deepInclude(data.stopped_in, { module: "libc.so.6" })
            assert.deepStrictEqual(names(data.frames), ["checked", "main"])
            assert.deepStrictEqual(
              data.left_out?.map(({ what }) => what),
              ["libc"]
            )
            assert.deepStrictEqual(
              data.locals?.map(({ name }) => name),
              ["items"]
            )
            // The frame is selected: requests without a frame concern it.
            const locals = (yield* own.call("locals", {})).data.variables
            assert.deepStrictEqual(
              locals.map(({ name }) => name),
              ["items"]
            )
            const status = (yield* own.call("status", {})).data
            assert.deepInclude(status.location, { function: "checked" })
            const stack = (yield* own.call("backtrace", {})).data
            assert.deepStrictEqual(names(stack.frames), ["checked", "main"])
            assert.strictEqual(stack.selected, stack.frames[0]?.index)
            const whole = (yield* own.call("backtrace", { all_frames: true })).data
            assert.include(names(whole.frames), "__assert_fail")

            const up = (yield* own.call("up", { count: 5 })).data
            assert.deepInclude(up, { end: "outermost" })
            assert.strictEqual(up.frame.function, "main")
            const down = (yield* own.call("down", {})).data
            assert.strictEqual(down.frame.function, "checked")
            assert.isUndefined(down.end)
            assert.deepInclude((yield* own.call("down", {})).data, { end: "innermost" })
          })
        )
      )

      it.effect("of free, strlen or a callback is shown in the user's function", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            const freed = yield* stopIn(own, adapter, "free")
            assert.deepInclude(freed, { reason: "signal", signal: "SIGABRT" })
            assert.deepInclude(freed.location, { function: "drop", line: line(file, "free") })
            const read = yield* stopIn(own, adapter, "strlen")
            assert.deepInclude(read, { reason: "signal", signal: "SIGSEGV" })
            assert.deepInclude(read.location, { function: "width", line: line(file, "strlen") })
            // The library is between two functions of the user.
            const compared = yield* stopIn(own, adapter, "qsort")
            assert.deepInclude(compared.location, { function: "compare", line: line(file, "compare") })
            assert.isUndefined(compared.stopped_in)
            assert.deepStrictEqual(names(compared.frames), ["compare", "main"])
          })
        )
      )

      it.effect("after a recursion names its function once", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const data = yield* stopIn(own, adapter, "abort")
            assert.deepStrictEqual(
              data.frames?.map((frame) => [frame.function, frame.repeat]),
              [
                ["nested", 7],
                ["main", undefined]
              ]
            )
            assert.isUndefined(data.more_frames)
          })
        )
      )

      it.effect("by a pause in a system call is shown at the call", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* own.start(program, { adapter, break: [`${file}:${line(file, "pause")}`] })
            const called = (yield* own.call("continue", { wait: false })).data
            assert.strictEqual(called.event, "running")
            // The pause may come before the system call: the place is the same.
            const paused = (yield* own.call("pause", {})).data
            assert.deepInclude(paused.location, { function: "main", line: line(file, "pause") })
            const { threads } = (yield* own.call("threads", {})).data
            assert.deepInclude(threads[0]?.location, { function: "main" })
          })
        )
      )

      it.effect("at a breakpoint that the user set there is shown in the library", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { data } = yield* own.start(program, { adapter, args: ["free"], break: ["abort"], pending: true })
            assert.deepInclude(data, { reason: "breakpoint" })
            assert.deepInclude(data.location, { function: "abort" })
            assert.strictEqual(data.frames?.[0]?.function, "abort")
          })
        )
      )

      it.effect("of a sanitizer is called one, and shown at the error", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { directory, line, source } = yield* Programs
            const fs = yield* FileSystem.FileSystem
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const output = `${directory}/sanitized`
            const options = ["-g", "-fsanitize=address", source(file), "-o", output]
            assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("gcc", options)), 0)
            assert.isTrue(yield* fs.exists(output))
            const { data } = yield* own.start(output, { adapter, args: ["free"] })
            assert.strictEqual(data.reason, "sanitizer", JSON.stringify(data))
            assert.match(data.description ?? "", /^AddressSanitizer: (?:double-free|report double free)/)
            assert.deepInclude(data.location, { function: "drop", line: line(file, "free") })

            // Without an error the same program is paused in the interceptor of a call.
            yield* own.start(output, { adapter, replace: true, break: [`${file}:${line(file, "pause")}`] })
            yield* own.call("continue", { wait: false })
            const paused = (yield* own.call("pause", {})).data
            assert.strictEqual(paused.reason, "pause")
            assert.deepInclude(paused.location, { function: "main", line: line(file, "pause") })
          })
        )
      )
    }
  )
}
