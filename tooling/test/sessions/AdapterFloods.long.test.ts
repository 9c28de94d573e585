// Debug adapters that send more than they are asked for do not hold the daemon: another client is answered meanwhile.
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import * as Attack from "../../src/poison/Attack.ts"
import * as Floods from "../../src/poison/Floods.ts"

/** A turn of the loop that used more CPU time, in milliseconds, is a held loop. The defects of the past used seconds. */
const held = 400

/** Number of questions of another client during a flood that comes after the start. */
const questions = 200

it.live(
  "every flood of an adapter is bounded while another client is answered",
  () =>
    Effect.gen(function* () {
      const root = yield* directory
      const path = join(root, "run")
      const { args, program } = Attack.daemon
      const env = { SIGTRAP_RUNTIME_DIR: path, SIGTRAP_POISON_ADAPTERS: "1" }
      const daemon = yield* child(program, args, env)
      yield* awaitOutput(daemon, "listening")
      const socket = join(path, "daemon.sock")
      for (const { isLater, poison } of Floods.all) {
        const { code, turn } = yield* Effect.promise(() =>
          Attack.send(poison, socket, root, isLater ? questions : 0)
        ).pipe(
          Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.die(`${poison.name} holds the daemon`) })
        )
        assert.match(code, poison.answer, poison.name)
        assert.isBelow(turn, held, `${poison.name}: the longest turn of the loop`)
      }
      assert.isNull(daemon.exitCode)
    }),
  120_000
)
