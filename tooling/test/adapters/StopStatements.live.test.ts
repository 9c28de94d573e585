/**
 * A statement of the program that stops it, `breakpoint()` of Python and `debugger` of JavaScript, is a breakpoint: no client paused or
 * stepped.
 */
import { assert, layer } from "@effect/vitest"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"
import * as Tools from "../support/tools.ts"
import { here } from "./jsDebug.ts"

const python = `import time
def main():
    n = 0
    while True:
        n += 1
        if n == 3:
            breakpoint()
        time.sleep(0.01)
main()
`

const javascript = `let turns = 0
setInterval(() => {
  turns++
  if (turns === 3) debugger
}, 10)
`

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

const stopped = (name: string, source: string) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const program = `${yield* directory}/${name}`
      writeFileSync(program, source)
      const { data } = yield* start(program, {})
      assert.deepInclude(data, { event: "stopped", reason: "breakpoint", breakpoints: [] })
      // A pause of a client is one, and a step is one.
      yield* call("continue", { wait: false })
      assert.deepInclude((yield* call("pause", {})).data, { event: "stopped", reason: "pause" })
      assert.deepInclude((yield* call("next", {})).data, { event: "stopped", reason: "step" })
    })
  ).pipe(Effect.scoped)

suite("a statement that stops a Python program", (it) => {
  it.effect("is a breakpoint", () => Effect.andThen(needs("debugpy", "python3-debugpy"), stopped("app.py", python)))
})

if (Tools.recorded("js-debug", here)) {
  suite("a statement that stops a JavaScript program", (it) => {
    it.effect("is a breakpoint", () => stopped("app.js", javascript))
  })
}
