/**
 * Stacks through functions that gcc split into a hot and a cold part, on both LLDB backends. LLDB 19 finds no callers of such a function, nor
 * of functions between its parts, and reads their variables at a false address. The call frame information of the program has the callers, and
 * the variables are read with it; GDB shows the same.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = readFileSync(new URL("../../fixtures/cpp/split_parts.cpp", import.meta.url), "utf8")

const quiet = readFileSync(new URL("../../fixtures/cpp/quiet_parts.cpp", import.meta.url), "utf8")

const flags = ["-O2", "-fno-toplevel-reorder", "-pthread"]

/** The functions at each stop, and the variables of these that are in memory. */
const stops = [
  { functions: ["tick", "split", "main"], kept: { split: "{1, 2}" } },
  { functions: ["tick", "between", "split", "main"], kept: { between: "{2, 12, 22, 32}", split: "{1, 2}" } },
  { functions: ["tick", "split", "main"], kept: { split: "{5, 10}" } },
  { functions: ["tick", "between", "split", "main"], kept: { between: "{6, 16, 26, 36}", split: "{5, 10}" } }
]

const codes = ({ warnings }: { readonly warnings: ReadonlyArray<{ readonly code: string }> }) =>
  warnings.map(({ code }) => code)

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a function in two parts", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has its callers and no false values, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("split_parts.cpp", source, "g++", flags)
          yield* starting(client, built, backend, { break: ["tick"] })
          for (const [number, { functions, kept }] of stops.entries()) {
            if (number > 0) yield* call("continue", {})
            const { frames, stack_cut } = (yield* call("backtrace", { all_frames: true })).data
            assert.deepStrictEqual(
              frames.filter(({ hidden }) => hidden !== true).map((frame) => frame.function.replace(/\(.*/, "")),
              functions
            )
            assert.strictEqual(frames.at(-1)?.function, "_start")
            assert.isUndefined(stack_cut)
            const page = (yield* call("backtrace", { all_frames: true, start: 1, limit: 2 })).data.frames
            assert.deepStrictEqual(
              page.map(({ address, index }) => ({ address, index })),
              frames.slice(1, 3).map(({ address, index }) => ({ address, index }))
            )
            for (const { function: name, index, unlisted } of frames.slice(0, functions.length)) {
              if (unlisted === true) {
                // What another frame has is not that of this one.
                yield* call("registers", { frame: 0 })
                const registers = yield* call("registers", { frame: index })
                assert.deepStrictEqual([registers.data.groups, codes(registers)], [[], ["FRAME_NOT_LISTED"]])
                const globals = (yield* call("globals", { frame: index, file: "split_parts.cpp" })).data.variables
                assert.match(globals.find(({ name }) => name.endsWith("table"))?.value ?? "", /^\{1, 2, 3\}$/)
                const sinks = yield* Effect.forEach([0, index], (frame) =>
                  call("print", { expressions: ["sink"], frame })
                )
                const [innermost, value] = sinks.map(({ data }) => data.values[0]?.value)
                assert.match(innermost ?? "", /^\d+$/)
                assert.strictEqual(value, innermost)
              }
              const { variables } = (yield* call("locals", { frame: index })).data
              const array = variables.find(({ type = "" }) => type.includes("["))
              const expected = Object.entries(kept).find(([one]) => name.startsWith(one))?.[1]
              assert.strictEqual(array?.value, expected)
              if (array !== undefined) {
                const element = `${array.name}[1]`
                assert.strictEqual(
                  (yield* call("print", { expressions: [element], frame: index })).data.values[0]?.value,
                  expected?.split(", ")[1]?.replace("}", "")
                )
                const opened = (yield* call("expand", { target: array.ref ?? "" })).data.children
                assert.deepInclude(opened[1], { name: "[1]", expression: element })
              }
              if (unlisted === true) continue
              // A member is not the variable of the same name.
              const members = yield* call("print", { expressions: ["named.values", "named . kept"], frame: index })
              assert.deepStrictEqual(
                members.data.values.map(({ value }) => value),
                ["7", "8"]
              )
            }
            if (frames[1]?.unlisted !== true) continue
            const { data: finished } = yield* call("finish", {})
            assert.deepInclude(finished, { event: "stopped", reason: "step" })
            assert.match(finished.returned_from ?? "", /^tick\b/)
            assert.strictEqual((finished.location?.function ?? "").replace(/\(.*/, ""), functions[1])
          }
          yield* call("continue", {})
          // The innermost frame with source is in the cold part.
          const aborted = (yield* starting(client, built, backend, { args: ["101"], replace: true })).data
          assert.deepInclude(aborted, { event: "stopped", signal: "SIGABRT" })
          assert.match(aborted.location?.function ?? "", /^split\b/)
        })
      )
    )

    it.effect(
      `has its callers below a function without handlers, and the values of inlined ones, under ${backend}`,
      () =>
        debugging((client) =>
          Effect.gen(function* () {
            const { call } = client
            yield* starting(client, yield* build("quiet_parts.cpp", quiet, "g++", flags), backend, { break: ["tick"] })
            const { frames, stack_cut } = (yield* call("backtrace", { all_frames: true })).data
            const shown = frames.filter(({ hidden }) => hidden !== true)
            const names = shown.map((frame) => /\bquiet(?=<)|^\w+/.exec(frame.function)?.[0])
            assert.deepStrictEqual(names, ["tick", "quiet", "quiet", "split", "main"])
            assert.deepInclude(frames.at(-1), { function: "_start" })
            assert.isUndefined(stack_cut)
            const { variables } = (yield* call("locals", { frame: shown[2]?.index ?? 0 })).data
            assert.deepInclude(
              variables.find(({ name }) => name === "kept"),
              { value: "41" }
            )
          })
        )
    )

    it.effect(`is in the stacks of all threads, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("split_parts.cpp", source, "g++", flags)
          yield* starting(client, built, backend, { break: ["between"] })
          const stacks = (yield* call("backtrace", { all_threads: true })).data.threads ?? []
          assert.include(
            stacks.map(({ frames }) => frames.map((frame) => frame.function.replace(/\(.*/, "")).join()).join(" "),
            "between,split,main"
          )
        })
      )
    )
  }
})
