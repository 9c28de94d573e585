// A daemon that is killed in the middle of runs until a failure leaves no program.
import { layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { builtSigtrap } from "../support/builtSigtrap.ts"
import { compile, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

/** Returns how many processes run a program. */
const running = (program: string): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] === program
      } catch {
        return false
      }
    }).length

const endless = `#include <unistd.h>
int main(void) { for (;;) pause(); }
`

suite("a daemon that is killed during runs", (it) => {
  it.effect("leaves no program", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
      const program = `${directory}/endless`
      yield* fs.writeFileString(`${program}.c`, endless)
      yield* compile(`${program}.c`, program)
      const { must, unread } = yield* builtSigtrap
      yield* unread("run", program, "--until-failure=50", "--parallel", "2", "--timeout", "60s")
      while (running(program) < 2) yield* Effect.sleep(10)
      const { data } = yield* must("daemon", "status")
      process.kill(Number(data["pid"]), "SIGKILL")
      while (running(program) > 0) yield* Effect.sleep(10)
    }).pipe(Effect.scoped)
  )
})
