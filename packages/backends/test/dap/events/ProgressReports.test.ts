import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@sigtrap/protocol"
import { ProgressReports } from "../../../src/dap/events/ProgressReports.ts"

/** Returns the events for those of an adapter. */
const reported = (...events: ReadonlyArray<readonly [event: string, body: unknown]>) => {
  const found: Array<Event.Event> = []
  const reports = new ProgressReports((event) => void found.push(event))
  for (const [event, body] of events) reports.take({ seq: 1, type: "event", event, body })
  return found.map((event) => (event._tag === "Progress" ? event.title : event._tag))
}

const begin = (progressId: string, title: string, message?: string) =>
  ["progressStart", { progressId, title, ...(message === undefined ? {} : { message }) }] as const
const end = (progressId: string) => ["progressEnd", { progressId }] as const

describe("long operations of an adapter", () => {
  it("are reported one at a time, the oldest first, each change once", () => {
    assert.deepStrictEqual(
      reported(
        begin("1", "Parsing symbol table: a"),
        begin("2", "Manually indexing DWARF", "b"),
        ["progressUpdate", { progressId: "1", percentage: 50 }],
        ["stopped", { reason: "step" }],
        end("1"),
        end("9"),
        end("2"),
        end("2")
      ),
      ["Parsing symbol table: a", "Manually indexing DWARF: b", undefined]
    )
  })

  it("are bounded in number and in length, and may be wrong", () => {
    const many = Array.from({ length: 200 }, (_, at) => begin(`${at}`, "x".repeat(1000)))
    assert.deepStrictEqual(reported(...many, ["progressStart", { title: 7 }], ["progressEnd", null]), ["x".repeat(200)])
  })
})
