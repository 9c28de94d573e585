// `start --web`: the page is opened on the session that was started.
import { assert, describe, it } from "@effect/vitest"
import { PageOpener } from "@sigtrap/host"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { run } from "../fakes.ts"

const words = ["start", "app", "--web"]

/** Opens pages and notes what was asked. */
const opener = (opened: boolean) => {
  const asked: Array<PageOpener.Request> = []
  const open: PageOpener.Open = (request) =>
    Effect.sync(() => {
      asked.push(request)
      const url = `http://127.0.0.1:4711/${opened ? "" : "#code=c0de&session=default"}`
      return { url, opened, tiers: ["observe", "control"], expires: 60_000 }
    })
  return { asked, open }
}

const withPage = (open: PageOpener.Open | undefined, ...more: ReadonlyArray<string>) =>
  Effect.provideService(
    run([...words, ...more], { line: { environment: { DISPLAY: ":1" } } }),
    PageOpener.PageOpener,
    open
  )

describe("start --web", () => {
  it.effect("opens the page on the session, with the environment of the command line", () =>
    Effect.gen(function* () {
      const { asked, open } = opener(true)
      const { calls, code, stdout } = yield* withPage(open)
      assert.match(stdout, /\npage: opened http:\/\/127\.0\.0\.1:4711\/ · observe, control\n$/)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(asked, [
        { allow: [], session: "default", port: 0, print: false, environment: { DISPLAY: ":1" } }
      ])
      assert.notProperty(calls[0]?.payload, "web")
    })
  )

  it.effect("has the page in its JSON", () =>
    Effect.gen(function* () {
      const { stdout } = yield* withPage(opener(false).open, "--json")
      const { cmd, page } = JSON.parse(stdout)
      assert.strictEqual(cmd, "start")
      assert.deepInclude(page, { opened: false, url: "http://127.0.0.1:4711/#code=c0de&session=default" })
    })
  )

  it.effect("succeeds if the page cannot be opened, and says why", () =>
    Effect.gen(function* () {
      const failing: PageOpener.Open = () => Effect.fail(new Errors.InvalidState({ problem: "32 page codes wait" }))
      const { code, stderr } = yield* withPage(failing)
      assert.strictEqual(code, 0)
      assert.match(stderr, /^warning: the page was not opened: .*32 page codes wait/m)
    })
  )

  it.effect("fails before the start without a daemon", () =>
    Effect.gen(function* () {
      const { calls, stderr } = yield* withPage(undefined)
      assert.deepStrictEqual(calls, [])
      assert.include(stderr, "--web needs the daemon")
    })
  )
})
