import { assert, it } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"

type Way = NonNullable<Operations.Data<"diverge">["divergence"]>["at"]["a"]

const base: Operations.Data<"diverge"> = {
  steps: 3,
  entries: 1,
  lines: 2,
  vars: [],
  ends: { a: { exit_code: 0, output_bytes: 0 }, b: { exit_code: 0, output_bytes: 0 } },
  runs: 8,
  elapsed_ms: 10,
  left_out: []
}

const rendered = (data: Operations.Data<"diverge">) =>
  Doc.render(Render.render("diverge", { state: "none", warnings: [], truncated: [], data })).split("\n")

const shown = (a: Way, b: Way) => {
  const data: Operations.Data<"diverge"> = {
    ...base,
    divergence: {
      after: { function: "main", file: "/src/app.c", line: 3 },
      call: 1,
      narrowed: true,
      at: { a, b }
    }
  }
  return rendered(data).filter((line) => /^(?:good|bad ) -> /.test(line))
}

it("ways with the same place have different texts", () => {
  const at = (kind: "line" | "entry", name = "cmp(int, int)"): Way => ({
    kind,
    location: { function: name, file: "/src/app.c", line: 4, column: 7 }
  })
  assert.deepStrictEqual(shown(at("line"), at("line")), [
    "good -> cmp src/app.c:4:7",
    "bad  -> cmp src/app.c:4:7, other instructions of the line"
  ])
  assert.deepStrictEqual(shown(at("entry"), at("entry")), [
    "good -> enters cmp src/app.c:4:7",
    "bad  -> enters cmp src/app.c:4:7, by another call"
  ])
  assert.deepStrictEqual(shown(at("entry"), at("entry", "cmp(long, long)")), [
    "good -> enters cmp src/app.c:4:7, cmp(int, int)",
    "bad  -> enters cmp src/app.c:4:7, cmp(long, long)"
  ])
})

it("runs that were not compared to their end have no difference only so far", () => {
  assert.strictEqual(rendered(base)[0], "no difference in 1 function entry and 2 lines")
  const cut = {
    ...base,
    ends: { a: { cut: "entries", output_bytes: 0 }, b: { cut: "entries", output_bytes: 0 } }
  } as const
  assert.strictEqual(
    rendered(cut)[0],
    "the first 1 function entry and 2 lines are equal; no more were compared (the limit)"
  )
  const failed = { ...base, ends: { ...base.ends, b: { signal: "SIGSEGV", output_bytes: 0 } } }
  assert.strictEqual(rendered(failed)[0], "no difference in 1 function entry and 2 lines, but the runs end differently")
})
