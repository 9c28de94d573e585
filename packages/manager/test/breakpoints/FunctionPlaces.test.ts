import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Errors } from "@sigtrap/protocol"
import * as FunctionPlaces from "../../src/breakpoints/FunctionPlaces.ts"
import type { Request } from "../../src/model/BreakpointPlace.ts"
import { type Files, SourceFiles } from "../../src/model/sources/SourceFiles.ts"

const texts: { readonly [file: string]: ReadonlyArray<string> } = {
  "/a.js": ["function add(a) {", "  return a", "}", "function both() {", "}"],
  "/b.js": ["function both() {", "}"]
}

const absent = (file: string) => Effect.fail(new Errors.SourceNotFound({ file, near: [] }))

const files: Files = {
  window: absent,
  range: (file) => Effect.succeed(texts[file] ?? []),
  whole: absent,
  count: absent,
  line: () => Effect.succeed(""),
  newer: () => Effect.succeed(false),
  within: () => files
}

const error = new Errors.Unsupported({ what: "breakpoints on functions", by: "js-debug", remedies: [] })

const request = (name: string): Request => ({
  text: name,
  place: { kind: "function", name },
  pending: false,
  temporary: false
})

const known = Effect.succeed(["util/types", "/b.js", "/a.js"])
const read = Effect.provideService(SourceFiles, files)

describe("the hint where a debugger takes no breakpoints on functions", () => {
  it.effect("names the line of the one declaration", () =>
    Effect.gen(function* () {
      const { hints, message } = yield* FunctionPlaces.ofBreak(error, request("add"), known)
      assert.strictEqual(message, "js-debug does not support breakpoints on functions")
      assert.deepStrictEqual(hints, [{ operation: "break", input: { at: "/a.js:2" }, again: true }])
      const start = yield* FunctionPlaces.ofStart(error, [request("add")], "/a.js", { break: ["b.js:1", "add if a"] })
      assert.deepStrictEqual(start.hints, [
        { operation: "start", input: { break: ["b.js:1", "/a.js:2 if a"] }, again: true }
      ])
    }).pipe(read)
  )

  it.effect("is the help of break without a declaration, and with two", () =>
    Effect.gen(function* () {
      for (const name of ["both", "nothing", "a b"]) {
        const { hints } = yield* FunctionPlaces.ofBreak(error, request(name), known)
        assert.deepInclude(hints[0], { operation: "help", input: { command: "break" } }, name)
      }
    }).pipe(read)
  )

  it.effect("is not added to other errors", () =>
    Effect.gen(function* () {
      const line: Request = { ...request("a.js:1"), place: { kind: "line", file: "a.js", line: 1 } }
      assert.strictEqual(yield* FunctionPlaces.ofBreak(error, line, known), error)
    }).pipe(read)
  )
})
