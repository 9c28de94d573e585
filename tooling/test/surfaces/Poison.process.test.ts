// Poison inputs do not hold the daemon: each gets a typed answer, another client is answered meanwhile, and the daemon lives.
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import * as Attack from "../../src/poison/Attack.ts"
import * as Poisons from "../../src/poison/Poisons.ts"

/** A turn of the loop that used more CPU time, in milliseconds, is a held loop. The defects of the past used minutes. */
const held = 3000

/** The longest turn of a search: it yields after about 10 ms of work. The rest is for a busy machine. */
const heldBySearch = 300

it.live(
  "every poison is answered with a code while another client is answered",
  () =>
    Effect.gen(function* () {
      const root = yield* directory
      const path = join(root, "run")
      const { args, program } = Attack.daemon
      const daemon = yield* child(program, args, { SIGTRAP_RUNTIME_DIR: path })
      yield* awaitOutput(daemon, "listening")
      const socket = join(path, "daemon.sock")
      yield* Effect.promise(() => Attack.prepare(socket, root))
      assert.isAtLeast(Poisons.all.length, 40)
      for (const poison of Poisons.all) {
        const { code, times, turn } = yield* Effect.promise(() => Attack.send(poison, socket, root)).pipe(
          Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.die(`${poison.name} holds the daemon`) })
        )
        assert.match(code, poison.answer, poison.name)
        const most = poison.isSearch === true ? heldBySearch : held
        assert.isBelow(turn, most, `${poison.name}: the longest turn of the loop`)
        assert.isAtLeast(times.length, 1, `${poison.name}: answers to another client`)
      }
      assert.isNull(daemon.exitCode)
    }),
  120_000
)
