/** A program of a fake debugger that runs and has written some output, and command lines and tools on its session. */
import { NodeServices } from "@effect/platform-node"
import { FileReader } from "@sigtrap/host"
import { Local } from "@sigtrap/manager"
import { Behaviour, type Debuggee, FakeBackend, FakeMachine, type SimulatedProgram } from "@sigtrap/manager/testing"
import type { Client } from "@sigtrap/protocol"
import { Effect, Layer, type Scope, Stream } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as CommandRunner from "sigtrap/runner/CommandRunner"

/** Runs a test with a fake debugger and a directory that has its program. */
const withBackend = <A, E>(
  fake: FakeBackend.Fake,
  test: (directory: string) => Effect.Effect<A, E, Client.Client | Scope.Scope>
) =>
  Effect.gen(function* () {
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const made = mkdtempSync(join(tmpdir(), "sigtrap-pages-"))
        writeFileSync(join(made, "app"), "", { mode: 0o755 })
        return made
      }),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const manager = Local.layer.pipe(
      Layer.provide([FakeMachine.layer(fake), FileReader.layer]),
      Layer.provide(NodeServices.layer)
    )
    return yield* Effect.provide(test(directory), manager)
  })

/** Runs a test with a running program whose output is these texts, with a channel or on stdout. */
export const withOutput = <A, E>(
  texts: ReadonlyArray<string | readonly [text: string, channel: "stdout" | "stderr"]>,
  test: (directory: string) => Effect.Effect<A, E, Client.Client | Scope.Scope>
) => {
  const fake = FakeBackend.make(undefined, { ...Behaviour.plain, pace: "on demand" })
  return withBackend(fake, (directory) =>
    Effect.gen(function* () {
      yield* cli(["start", "./app", "--no-wait"], directory)
      const debuggee = yield* fake.newest
      for (const text of texts) {
        if (typeof text === "string") debuggee.write(text)
        else debuggee.write(...text)
      }
      return yield* test(directory)
    })
  )
}

/** Runs a test with a program that is stopped in `main` with these frames, the innermost first. */
export const withStack = <A, E>(
  stack: SimulatedProgram.Moment["stack"],
  totals: boolean,
  test: (directory: string, debuggee: Debuggee.Debuggee) => Effect.Effect<A, E, Client.Client | Scope.Scope>
) => {
  const program: SimulatedProgram.Program = {
    source: { file: "/src/app.c", code: [10], functions: { main: 10 } },
    threads: [{ id: 1, name: "app" }],
    moments: [{ stack }],
    end: { exit_code: 0 }
  }
  const fake = FakeBackend.make(program, { ...Behaviour.plain, totals })
  return withBackend(fake, (directory) =>
    Effect.gen(function* () {
      yield* cli(["start", "./app", "--break", "main"], directory)
      return yield* test(directory, yield* fake.newest)
    })
  )
}

/** Runs a command line; returns what it prints. */
export const cli = (argv: ReadonlyArray<string>, directory: string) =>
  CommandRunner.exec({
    argv,
    directory,
    environment: {},
    terminal: { stdout: false, stderr: false, columns: 80, color: false }
  }).pipe(
    Stream.runCollect,
    Effect.map((pieces) => pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join(""))
  )
