/** A program that cannot be started: the error names what to try. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a program that cannot be started", (it) => {
  it.effect("is refused with the nearest programs, or with the command that makes it one", () =>
    debugging(({ call, environment, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = `${temporary}/project`
        yield* fs.makeDirectory(`${directory}/build`, { recursive: true })
        yield* fs.makeDirectory(`${directory}/bin`)
        const write = (name: string, text: string, mode: number) =>
          Effect.andThen(
            fs.writeFileString(`${directory}/${name}`, text),
            Effect.suspend(() => fs.chmod(`${directory}/${name}`, mode))
          )
        yield* write("server", "#!/bin/sh\n", 0o755)
        yield* write("serve.txt", "text", 0o644)
        yield* write("script", "#!/bin/sh\n", 0o644)
        yield* write("build/worker", "#!/bin/sh\n", 0o755)
        yield* write("bin/tool", "#!/bin/sh\n", 0o755)
        const cases: ReadonlyArray<readonly [program: string, message: string, hint: object]> = [
          ["sever", "no such file; nearest: ./server", { operation: "start", "input.program": "./server" }],
          ["worker", "nearest: build/worker", { operation: "start", "input.program": "build/worker" }],
          ["tool", "nearest: bin/tool", { operation: "start" }],
          ["build", "it is a directory; nearest: build/worker", { operation: "start" }],
          ["other/server", `there is no folder ${directory}/other`, { local: true }],
          ["script", "it is not executable", { note: "chmod +x ./script" }],
          ["serve.txt", "neither executable nor source text", { operation: "start", "input.program": "./server" }],
          ["server one", "words of their own", { "input.program": "./server", "input.args": ["one"] }]
        ]
        for (const [program, message, hint] of cases) {
          const refused = yield* Effect.flip(call("start", { program, directory, environment }))
          assert.strictEqual(refused._tag, "ProgramNotFound")
          assert.include(refused.message, message)
          assert.deepNestedInclude(refused.hints[0], hint, program)
        }
        const found = { ...environment, PATH: `bin:${directory}/bin:${environment["PATH"] ?? ""}` }
        const onPath = yield* Effect.flip(
          call("start", { program: "tool", directory: `${directory}/build`, environment: found })
        )
        assert.include(onPath.message, `nearest: ${directory}/bin/tool`)
      })
    )
  )
})
