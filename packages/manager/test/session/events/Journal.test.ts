import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@sigtrap/protocol"
import { Schema } from "effect"
import { Journal } from "../../../src/index.ts"

const output = (text: string): Event.Event => ({ _tag: "Output", channel: "stdout", text })

const Small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))
/** The length of a text to write, or a read by one of two readers. */
const Step = Schema.Union([
  Schema.Struct({ write: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })) }),
  Schema.Struct({ read: Schema.Literals([0, 1]) })
])

describe("a journal", () => {
  it.prop(
    "gives every reader all writes in order, those it dropped counted",
    [Small, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 })), Schema.Array(Step)],
    ([events, bytes, steps]) => {
      const journal = new Journal.Journal({ events, bytes })
      const readers = [
        { next: 1, seen: 0 },
        { next: 1, seen: 0 }
      ]
      let written = 0
      const read = (reader: { next: number; seen: number }) => {
        const { dropped, entries, next } = journal.since(reader.next)
        assert.strictEqual(dropped + entries.length, written - reader.seen)
        for (const [index, entry] of entries.entries()) {
          const number = reader.seen + dropped + index + 1
          assert.strictEqual(entry.seq, number)
          assert.strictEqual(entry.event._tag === "Output" ? entry.event.text.split(":")[0] : "", `${number}`)
        }
        assert.isAtMost(entries.length, events)
        const kept = entries.reduce((sum, entry) => sum + entry.bytes, 0)
        assert.isTrue(kept <= bytes || entries.length === 1)
        reader.next = next
        reader.seen = written
      }
      for (const step of steps) {
        if ("write" in step) journal.append(output(`${++written}:${"x".repeat(step.write)}`), written, 0)
        else read(readers[step.read] ?? { next: 1, seen: 0 })
      }
      for (const reader of readers) read(reader)
    },
    { arbitrary: { runs: 1000 } }
  )

  it("keeps 10,000 events and counts the dropped ones", () => {
    const journal = new Journal.Journal()
    for (let i = 1; i <= 25_000; i++) journal.append(output(`${i}`), i, 0)
    const { dropped, entries, next } = journal.since(1)
    assert.strictEqual(entries.length, 10_000)
    assert.strictEqual(dropped, 15_000)
    assert.strictEqual(next, 25_001)
    assert.strictEqual(entries[0]?.seq, 15_001)
  })

  it("keeps 10 MiB of output, counted in bytes of UTF-8", () => {
    const journal = new Journal.Journal()
    const mebibyte = "é".repeat(512 * 1024)
    for (let i = 0; i < 15; i++) journal.append(output(mebibyte), i, 0)
    const { dropped, entries } = journal.since(1)
    assert.deepStrictEqual([entries.length, dropped], [10, 5])
    assert.strictEqual(journal.outputBytes, 15 * 1024 * 1024)
  })

  it("does not count the debugger's console as output of the program", () => {
    const journal = new Journal.Journal()
    journal.append({ _tag: "Output", channel: "console", text: "hello" }, 0, 0)
    journal.append(output("abc"), 0, 0)
    assert.strictEqual(journal.outputBytes, 3)
  })

  it("counts the bytes that the program wrote, not those of the characters that replace them", () => {
    const journal = new Journal.Journal()
    journal.append({ _tag: "Output", channel: "stdout", text: "a\ufffd", written: 2 }, 0, 0)
    assert.strictEqual(journal.outputBytes, 2)
  })

  it.prop(
    "keeps output and other events within limits of their own, in the order of their numbers",
    [Small, Schema.Array(Schema.Boolean).check(Schema.isMaxLength(300)), Small],
    ([events, kinds, seq]) => {
      const journal = new Journal.Journal({ events, bytes: 1_000_000 })
      for (const [index, isOutput] of kinds.entries()) {
        journal.append(isOutput ? output(`${index + 1}`) : { _tag: "Process", pid: index + 1, name: "app" }, index, 0)
      }
      const numbers = (wanted: boolean) => kinds.flatMap((isOutput, index) => (isOutput === wanted ? [index + 1] : []))
      const kept = [...numbers(true).slice(-events), ...numbers(false).slice(-events)].toSorted((a, b) => a - b)
      const { dropped, entries, next } = journal.since(seq)
      const after = (all: ReadonlyArray<number>) => all.filter((number) => number >= seq)
      assert.deepStrictEqual(
        entries.map((entry) => entry.seq),
        after(kept)
      )
      assert.strictEqual(next, kinds.length + 1)
      assert.strictEqual(dropped, Math.max(0, kinds.length + 1 - seq) - after(kept).length)
      assert.deepStrictEqual(
        [...journal.before(seq)].map((entry) => entry.seq),
        kept.filter((number) => number < seq).toReversed()
      )
      for (const number of [...kinds.keys(), kinds.length]) {
        assert.strictEqual(journal.at(number + 1)?.seq, kept.includes(number + 1) ? number + 1 : undefined)
      }
      const lost = after(numbers(true).slice(0, -events)).length
      assert.isAtLeast(journal.outputDroppedSince(seq), lost)
      assert.strictEqual(journal.outputDroppedSince(1), numbers(true).slice(0, -events).length)
      if (lost === 0) assert.strictEqual(journal.outputDroppedSince(seq), 0)
    }
  )

  it("returns no entries for a number beyond the end", () => {
    const journal = new Journal.Journal()
    journal.append(output("a"), 0, 0)
    assert.deepStrictEqual(journal.since(100), { entries: [], dropped: 0, next: 2 })
  })
})
