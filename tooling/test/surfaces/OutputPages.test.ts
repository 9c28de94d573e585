// Reading program output page by page shows each byte once, in order, and ends: on each surface, forwards and backwards, for
// any sizes of entries, limits and budgets.
import { assert, describe, it } from "@effect/vitest"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import * as Server from "@sigtrap/mcp/server/Server"
import { type Client, OutputPage } from "@sigtrap/protocol"
import { Effect, Predicate, Schema } from "effect"
import { McpTest } from "effect/ai"
import { cli, withOutput } from "./runningProgram.ts"

/** A page as a reader sees it: its text, and the call for the rest, if there is a rest. */
interface Page {
  readonly text: string
  readonly rest: string | undefined
}

type Read<E> = (cursor: string | undefined) => Effect.Effect<Page, E, Client.Client>

/** Follows the cursors of pages. Fails if a page with a rest is empty: its reader would never get further. */
const readAll = Effect.fnUntraced(function* <E>(read: Read<E>, first: string | undefined) {
  const texts: Array<string> = []
  const seen = new Set<string>()
  for (let cursor = first; ;) {
    const page = yield* read(cursor)
    texts.push(page.text)
    if (page.rest === undefined) return texts
    assert.notStrictEqual(page.text, "", `the page at ${cursor} moves`)
    assert.isFalse(seen.has(page.rest), `${page.rest} comes twice`)
    seen.add(page.rest)
    cursor = page.rest
  }
})

const pageOf = (data: unknown, backward: boolean): Page => {
  const page = OutputPage.of(data)
  assert.isDefined(page)
  if (page === undefined) return { text: "", rest: undefined }
  const rest = backward ? OutputPage.previousOf(page) : page.truncated === true ? OutputPage.nextOf(page) : undefined
  assert.strictEqual(page.entries.map(({ text }) => text).join(""), page.text)
  return { text: page.text, rest: rest === undefined ? undefined : String(rest) }
}

const cursorOf = (backward: boolean, cursor: string | undefined) =>
  cursor === undefined ? [] : [backward ? "--before" : "--since", cursor]

const json =
  (directory: string, options: ReadonlyArray<string>, backward: boolean, budget: number): Read<never> =>
  (cursor) =>
    Effect.map(cli(["output", "--json", ...options, ...cursorOf(backward, cursor)], directory), (text) => {
      const document: unknown = JSON.parse(text)
      assert(Predicate.isReadonlyObject(document))
      const page = pageOf(document["data"], backward)
      // A page of one code point may be larger than a tiny budget.
      if (budget > 0 && page.text.length > 2) assert.isAtMost(Buffer.byteLength(text), Math.max(budget, 1200))
      return page
    })

/** Text has one line more than the page if it is cut. Only output without control characters is the same as its text. */
const text =
  (directory: string, options: ReadonlyArray<string>): Read<never> =>
  (cursor) =>
    Effect.map(cli(["output", ...options, ...cursorOf(false, cursor)], directory), (shown) => {
      const [, body = "", rest] = /^(.*?)(?:… more · sigtrap output .*--since (\S+).*\n)?$/s.exec(shown) ?? []
      return { text: body, rest }
    })

const Text = Schema.Array(
  Schema.Literals(["line\n", "é", "😀", "\u001b[0m", "x".repeat(90), "\n", "a", "\u0000", '\\"'])
).check(Schema.isMaxLength(6))

const Texts = Schema.Array(Text).check(Schema.isMaxLength(6))
const Limit = Schema.Literals([1, 3, 50, 1000, 20_000])
const Budget = Schema.Literals([0, 900, 2000, 16_384])

const options = { arbitrary: { runs: 15 } }

describe("pages of output", () => {
  it.effect.prop(
    "in JSON show each byte once, forwards and backwards",
    [Texts, Limit, Budget],
    ([parts, limit, budget]) => {
      const texts = parts.map((part) => part.join("")).filter((part) => part !== "")
      // At most about forty pages, so that the test is quick.
      const least = Math.ceil(texts.join("").length / 40)
      const size = ["--limit", String(Math.max(limit, least)), "--budget", String(budget)]
      return withOutput(texts, (directory) =>
        Effect.gen(function* () {
          const forward = yield* readAll(json(directory, size, false, budget), "0")
          assert.strictEqual(forward.join(""), texts.join(""))
          const backward = yield* readAll(json(directory, size, true, budget), undefined)
          assert.strictEqual(backward.toReversed().join(""), texts.join(""))
        })
      )
    },
    options
  )

  it.effect.prop(
    "with a pattern show each line that matches once",
    [Texts, Limit],
    ([parts, limit]) => {
      const texts = parts.map((part) => part.join("")).filter((part) => part !== "")
      const lines = (texts.join("").match(/[^\n]*\n|[^\n]+/g) ?? []).filter((line) => /a|é/u.test(line))
      // A line that is larger than a page is cut, so the pages here have room for each.
      const size = ["--match", "a|é", "--limit", String(Math.max(limit, 4000)), "--budget", "0"]
      return withOutput(texts, (directory) =>
        Effect.gen(function* () {
          const forward = yield* readAll(json(directory, size, false, 0), "0")
          assert.strictEqual(forward.join(""), lines.join(""))
          const backward = yield* readAll(json(directory, size, true, 0), undefined)
          assert.strictEqual(backward.toReversed().join(""), lines.join(""))
        })
      )
    },
    options
  )

  it.effect.prop(
    "as text show each line once",
    [
      Schema.Array(Schema.Literals(["one\n", "two two\n", `${"x".repeat(700)}\n`])).check(Schema.isMaxLength(30)),
      Budget
    ],
    ([texts, budget]) =>
      withOutput(texts, (directory) =>
        Effect.gen(function* () {
          const pages = yield* readAll(text(directory, ["--budget", String(budget)]), "0")
          // A line that is cut ends with the page; a page always ends with a line break.
          assert.strictEqual(pages.join("").replaceAll("\n", ""), texts.join("").replaceAll("\n", ""))
        })
      ),
    options
  )

  it.effect.prop(
    "over MCP show each byte once",
    [Texts],
    ([parts]) => {
      const texts = parts.map((part) => part.join("")).filter((part) => part !== "")
      return withOutput(texts, () =>
        Effect.gen(function* () {
          const caller = { directory: "/src", environment: {} }
          const client = yield* McpTest.makeClient(
            ToolCalls.layer({
              caller,
              profile: "full",
              allow: [],
              structured: true,
              notifies: false
            }),
            { protocols: Server.protocols }
          ).pipe(Effect.orDie)
          const read =
            (backward: boolean): Read<never> =>
            (cursor) =>
              client
                .callTool({
                  name: "output",
                  arguments: cursor === undefined ? {} : { [backward ? "before" : "since"]: cursor }
                })
                .pipe(
                  Effect.orDie,
                  Effect.map(({ structuredContent }) => {
                    const data = Predicate.isReadonlyObject(structuredContent) ? structuredContent["data"] : undefined
                    return pageOf(data, backward)
                  })
                )
          const visible = texts.join("").replaceAll("\u001b", "␛").replaceAll("\u0000", "␀")
          const plain = (pages: ReadonlyArray<string>) => pages.join("")
          const forward = plain(yield* readAll(read(false), "0"))
          assert.strictEqual(
            forward.replaceAll(/\\u\{?00(1b|00)\}?|\\x(1b|00)/g, "?"),
            visible.replaceAll(/[␛␀]/gu, "?")
          )
          const backward = plain((yield* readAll(read(true), undefined)).toReversed())
          assert.strictEqual(backward, forward)
        })
      )
    },
    options
  )
})
