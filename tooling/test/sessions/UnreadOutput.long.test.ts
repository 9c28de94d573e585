/** A gigabyte of output with readers that never read: memory is bounded, and the daemon ends in order in the middle of it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { builtSigtrap } from "../support/builtSigtrap.ts"
import { platform } from "../support/fixturePrograms.ts"

/** Writes as many blocks of 64 KiB as its argument says; 0 without end. */
const source = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char block[65536];
int main(int count, char **words) {
  long left = count > 1 ? atol(words[1]) : 0;
  int endless = left == 0;
  memset(block, 'x', sizeof block);
  for (int i = 79; i < (int)sizeof block; i += 80) block[i] = '\\n';
  while (endless || left-- > 0) fwrite(block, 1, sizeof block, stdout);
  return 0;
}
`

/** Memory that a daemon may take, in bytes: 10 MiB of output, the readers' windows, and the runtime. */
const most = 500e6

layer(platform, { excludeTestServices: true, timeout: "600 seconds" })("a gigabyte of output", (it) => {
  it.effect(
    "is bounded in memory, readable to its kept end, and no reader holds the daemon",
    () =>
      Effect.gen(function* () {
        const { must, run, temporary, unread } = yield* builtSigtrap
        writeFileSync(`${temporary}/writer.c`, source)
        execFileSync("cc", ["-g", "-O1", `${temporary}/writer.c`, "-o", `${temporary}/writer`])
        yield* must("start", `${temporary}/writer`, "--session", "gigabyte", "--no-wait", "--", "16384")
        // Their output is a pipe that is not read.
        yield* unread("output", "--follow", "--session", "gigabyte")
        yield* unread("output", "--follow", "--json", "--since", "0", "--session", "gigabyte")
        yield* unread("events", "--follow", "--session", "gigabyte")
        const ended = yield* Effect.repeat(run("wait", "--session", "gigabyte", "--timeout", "20s"), {
          until: ({ code }) => code !== 5,
          schedule: Schedule.recurs(50)
        })
        assert.strictEqual(ended.state, "exited", ended.text)
        let since: unknown = 0
        let bytes = 0
        for (let more = true; more;) {
          const { data } = yield* must("output", "--budget", "0", "--since", String(since), "--session", "gigabyte")
          bytes += String(data["text"]).length
          const offset = data["next_offset"]
          since = offset === undefined ? data["next"] : `${String(data["next"])}+${String(offset)}`
          more = data["truncated"] === true
        }
        assert.isAbove(bytes, 1e6)
        assert.isAtMost(bytes, 10 * 1024 * 1024)
        assert.isBelow(Number((yield* must("daemon", "status")).data["memory_bytes"]), most)

        // The daemon is stopped while another program writes and nothing is read.
        yield* must("start", `${temporary}/writer`, "--session", "endless", "--no-wait")
        yield* unread("output", "--follow", "--session", "endless")
        const first = yield* Effect.repeat(run("output", "--tail", "1", "--session", "endless"), {
          until: ({ data }) => String(data["text"]) !== "",
          schedule: Schedule.recurs(200)
        })
        assert.include(first.text, "xxx")
        const { data: facts } = yield* must("daemon", "status")
        assert.isBelow(Number(facts["memory_bytes"]), most)
        const program = Number((yield* must("status", "--session", "endless")).data["pid"])
        const stopped = yield* must("daemon", "stop")
        assert.strictEqual(stopped.data["by"], "request")
        const log = readFileSync(String(facts["log"]), "utf8")
        assert.notInclude(log, "shutdown took too long")
        assert.isFalse(existsSync(`/proc/${program}`))
      }).pipe(Effect.scoped),
    600_000
  )
})
