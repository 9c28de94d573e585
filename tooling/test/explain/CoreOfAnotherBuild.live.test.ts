/** A core file whose program was built anew: each explanation says that its findings may be wrong, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `struct list { struct list *next; int value; };
static int second(struct list *list) { return list->next->value; }
int main(void) { struct list one = {0, 1}; return second(&one); }
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`says that the program of a core file is another build (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const build = ["gcc", "list.c", "-o", "list"] as const
          const cwd = yield* compiled({ "list.c": source }, build)
          const program = `${cwd}/list`
          const core = `${cwd}/left`
          yield* call("start", { program, backend, environment })
          yield* call("raw", { command: `process save-core "${core}"` })
          const limits = Effect.map(call("explain", {}), ({ data }) =>
            data.facts.filter(({ kind }) => kind === "limit").map(({ text }) => text)
          )
          yield* call("core", { file: core, program, backend, environment, replace: true })
          assert.deepStrictEqual(yield* limits, [])
          yield* fs.writeFileString(`${cwd}/list.c`, `int added = 1;\n${source}`)
          assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("gcc", ["-g", ...build.slice(1)], { cwd })), 0)
          yield* call("core", { file: core, program, backend, environment, replace: true })
          const [limit] = yield* limits
          assert.match(
            limit ?? "",
            /^the core was left by another build of it, not by .*: functions, lines and values may be/
          )
        })
      ).pipe(Effect.scoped)
    )
  }
})
