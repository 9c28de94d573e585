// Runs the hints of answers and errors as they are printed: each is an existing command that acts on the session of the answer,
// although another session is current.
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { ClientLayers } from "@sigtrap/host"
import { ShellWords } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import { Programs } from "../support/fixturePrograms.ts"
import * as Envelopes from "./jsonSchemas.ts"

const environment = { PATH: process.env["PATH"] ?? "" }

/** Command lines that fail, on session `one` at a breakpoint in `sum_scores`. `two` is current. */
const failing = [
  "locals --frame 99 -S one",
  "print nosuch -S one",
  "print n++ -S one",
  "eval nosuch -S one",
  "set nosuch 1 -S one",
  "expand @v999 -S one",
  "type nosuch -S one",
  "break nofile.c:3 --condition 'n > 1' -S one",
  "break app.c: -S one",
  "break main --hardware -S one",
  "breakpoint remove 77 -S one",
  "breakpoint info 77 -S one",
  "watch nosuch -S one",
  "frame 99 -S one",
  "thread 424242 -S one",
  "backtrace --limit 0 -S one",
  "source nofile.c -S one",
  "disassemble nosuch -S one",
  "memory read 0x0 -S one",
  "exception -S one",
  "changed --since 77 -S one",
  "catch nosuch -S one",
  "input hello --file nofile -S one",
  "until nofile.c:3 -S one",
  "continue --break other.c:3 -S one",
  "start ./app -S one",
  "locals -S three",
  "start ./nofile",
  "start --launch-json ./app.c",
  "start ./app.c",
  "start ./app --terminal external -S three",
  "start ./app --env X -S three",
  "start ./app --adapter nosuch -S three",
  "start ./app --adapter-opt x=y -S three",
  "attach 99999999",
  "attach --name nosuch",
  "core nofile",
  "connect 127.0.0.1:1 --timeout 1s",
  "frob",
  "step --frob -S one",
  "config get nosuch"
]

const errorOf = (document: unknown) => {
  const error = Predicate.isReadonlyObject(document) ? document["error"] : undefined
  return Predicate.isReadonlyObject(error) ? error : undefined
}

const hintOf = (document: unknown): string => {
  const hint = errorOf(document)?.["hint"]
  return Predicate.isString(hint) ? hint : ""
}

describe("a hint", () => {
  it.live(
    "runs as it is printed",
    () =>
      Effect.gen(function* () {
        const { directory } = yield* Programs
        const run = (line: string) =>
          Effect.map(Envelopes.run(ShellWords.split(line), directory, environment), ([document]) => document)
        const both = Effect.gen(function* () {
          for (const [name, place] of [
            ["one", "sum_scores"],
            ["two", "main"]
          ]) {
            const status = yield* run(`status -S ${name}`)
            const fresh = Predicate.isReadonlyObject(status) && status["stop"] === 1 && status["state"] === "stopped"
            if (!fresh) yield* run(`start ./app --break ${place} -S ${name} --replace`)
          }
          yield* run("session use two")
        })
        const odd: Array<string> = []
        for (const line of failing) {
          yield* both
          const hint = hintOf(yield* run(line))
          const words = ShellWords.split(hint)
          if (words[0] !== "sigtrap") {
            if (words.length === 0) odd.push(`${line}: no hint`)
            continue
          }
          const advised = words.slice(1).join(" ")
          // Help is text, and the daemon is not restarted here.
          const document = /--help$|^help|^daemon|^setup|^config edit/.test(advised)
            ? undefined
            : // The program that it waits for never comes.
              yield* run(/ --wait\b/.test(hint) ? `${hint.slice(8)} --timeout 300ms` : hint.slice(8))
          const code = Envelopes.codeOf(document)
          if (code === "USAGE" || code === "AMBIGUOUS_SESSION") odd.push(`${line}\n  hint: ${hint}\n  ${code}`)
          if (line.endsWith("-S one") && document !== undefined && !/-S one|--session one|stop one/.test(advised)) {
            odd.push(`${line}\n  hint: ${hint}\n  on another session`)
          }
        }
        yield* run("stop --all --if-exists")
        assert.strictEqual(odd.join("\n"), "")
      }).pipe(
        Effect.provide(Programs.layer),
        Effect.provide(NodeServices.layer),
        Effect.provide(ClientLayers.layerIsolated)
      ),
    300_000
  )

  it.live("keeps the session and the options of a truncated answer", () =>
    Effect.gen(function* () {
      const { directory } = yield* Programs
      const run = (line: string) =>
        Effect.map(Envelopes.run(ShellWords.split(line), directory, environment), ([document]) => document)
      const first = (document: unknown) => {
        const all = Predicate.isReadonlyObject(document) ? document["truncated"] : undefined
        const cut: unknown = Array.isArray(all) ? all[0] : undefined
        const more = Predicate.isReadonlyObject(cut) ? cut["more"] : undefined
        return Predicate.isString(more) ? more : ""
      }
      yield* run("start ./app --break sum_scores -S one")
      yield* run("start ./app --break main -S two")
      const more = first(yield* run("locals --count 1 --frame 0 -S one"))
      assert.strictEqual(more, "sigtrap locals --frame 0 --session one --count 1 --start 1")
      const next = first(yield* run(more.slice(8)))
      assert.strictEqual(next, "sigtrap locals --frame 0 --session one --start 2 --count 1")
      yield* run("stop --all")
    }).pipe(
      Effect.provide(Programs.layer),
      Effect.provide(NodeServices.layer),
      Effect.provide(ClientLayers.layerIsolated)
    )
  )
})
