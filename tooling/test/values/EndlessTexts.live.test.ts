/**
 * Values of Python whose `__repr__` does not return: they are shown without it, other values with theirs, and the session answers. The
 * program has an alarm of its own at the end: its handler and its timer are as it set them.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const source = `import signal, threading, time
class Sleeps:
    def __repr__(self):
        time.sleep(600)
class Loops:
    def __init__(self):
        self.n = 1
    def __repr__(self):
        while True:
            pass
class Waits:
    lock = threading.Lock()
    def __repr__(self):
        with self.lock:
            return "never"
class Fine:
    def __repr__(self):
        return "fine"
class Fails:
    def __repr__(self):
        raise ValueError("no text")
def work():
    loops, fine, fails, sleeps = Loops(), Fine(), Fails(), [Sleeps(), Fine()]
    with Waits.lock:
        waits = Waits()
        return fine
work()
print(signal.getsignal(signal.SIGALRM) is signal.SIG_DFL, signal.getitimer(signal.ITIMER_REAL))
`
const line = source.split("\n").indexOf("        return fine") + 1

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("values of Python", (it) => {
  it.effect("whose text takes for ever are shown without it, and the session answers", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const fs = yield* FileSystem.FileSystem
        const program = `${yield* fs.makeTempDirectoryScoped()}/endless.py`
        yield* fs.writeFileString(program, source)
        yield* start(program, { break: [`endless.py:${line}`] })
        const { variables } = (yield* call("locals", {})).data
        const texts = variables.map(({ name, value }) => `${name} = ${value.replaceAll(/0x[0-9a-f]+/g, "AT")}`)
        assert.sameMembers(texts, [
          "fails = <__main__.Fails object at AT>",
          "fine = fine",
          "loops = <__main__.Loops object at AT>",
          "sleeps = [<__main__.Sleeps object at AT>, fine]",
          "waits = <__main__.Waits object at AT>"
        ])
        const { values } = (yield* call("print", { expressions: ["loops.n", "sleeps"] })).data
        assert.deepStrictEqual(
          values.map((one) => one?.value?.replaceAll(/0x[0-9a-f]+/g, "AT")),
          ["1", "[<__main__.Sleeps object at AT>, fine]"]
        )
        yield* call("continue", {})
        assert.strictEqual((yield* call("output", {})).data.text, "True (0.0, 0.0)\n")
      })
    )
  )
})
