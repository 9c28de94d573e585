/**
 * A daemon with real operations, run as a process, for poison inputs. It has a fake debugger, or real debug adapters if
 * `SIGTRAP_POISON_ADAPTERS` is set. Two command lines are its own:
 * `poison write TEXT TIMES` lets the newest program write, and `poison turn` returns the CPU time of the longest turn of the
 * loop since the last question, in milliseconds. CPU time does not depend on other processes of the machine.
 */
import { Daemon, type DaemonProtocol, FileReader, Platform, RuntimeDirectory } from "@sigtrap/host"
import * as NodeServices from "@sigtrap/host/runtime/NodeServices"
import { Local, SessionFeed } from "@sigtrap/manager"
import { Behaviour, FakeBackend, FakeMachine } from "@sigtrap/manager/testing"
import { Effect, Layer, Stream } from "effect"
import * as CommandRunner from "sigtrap/runner/CommandRunner"

const fake = FakeBackend.make(undefined, { ...Behaviour.plain, pace: "on demand" })

const faked = SessionFeed.layer("0.0.0").pipe(
  Layer.provideMerge(Local.layer),
  Layer.provide([FakeMachine.layer(fake), FileReader.layer]),
  Layer.provide(NodeServices.layer)
)

const sessions = process.env["SIGTRAP_POISON_ADAPTERS"] === undefined ? faked : Platform.isolated

const used = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

let last = used()
let longest = 0
/** A timer runs at most once in each turn of the loop. */
setInterval(() => {
  const now = used()
  longest = Math.max(longest, now - last)
  last = now
}, 1).unref()

const text = (out: string): ReadonlyArray<DaemonProtocol.CommandOutput> => [
  { _tag: "Stdout", text: out },
  { _tag: "Exit", code: 0 }
]

const own = Effect.fnUntraced(function* ([what, piece = "", times = "1"]: ReadonlyArray<string>) {
  if (what === "turn") {
    const found = longest
    longest = 0
    return text(String(found))
  }
  const debuggee = yield* fake.newest
  for (let count = 0; count < Number(times); count++) {
    debuggee.write(piece)
    if (count % 100 === 0) yield* Effect.sleep(0)
  }
  return text("written")
})

const outcome = await Effect.runPromise(
  Daemon.run({
    sessions,
    exec: (line) =>
      line.argv[0] === "poison" ? Stream.fromIterableEffect(own(line.argv.slice(1))) : CommandRunner.exec(line),
    onListening: Effect.sync(() => void process.stdout.write("listening\n"))
  }).pipe(Effect.provide(RuntimeDirectory.layer()))
)
process.exit(outcome === "broken" ? 70 : 0)
