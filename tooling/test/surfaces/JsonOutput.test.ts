// What every command prints with `--json` follows `sigtrap schema`: every example of every command's help against a simulated
// program, every error, streams, and the commands that need no session.
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { FileReader } from "@sigtrap/host"
import { Local } from "@sigtrap/manager"
import { FakeBackend, FakeMachine } from "@sigtrap/manager/testing"
import { Envelope, Errors, ShellWords } from "@sigtrap/protocol"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as LocalCommands from "sigtrap/commands/ClientCommands"
import * as HintText from "sigtrap/render/HintText"
import { Effect, Layer, Result, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Envelopes from "./jsonSchemas.ts"

const project = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = mkdtempSync(join(tmpdir(), "sigtrap-envelopes-"))
    writeFileSync(join(directory, "app"), "", { mode: 0o755 })
    for (const input of Envelopes.inputs) writeFileSync(join(directory, input), input)
    return directory
  }),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** Runs commands in their own session, stopped in `square`. */
const session = <A, E>(work: (directory: string) => Effect.Effect<A, E, Layer.Success<typeof Local.layer>>) =>
  Effect.gen(function* () {
    const directory = yield* project
    const fake = FakeBackend.make()
    const manager = Local.layer.pipe(
      Layer.provide([FakeMachine.layer(fake), FileReader.layer]),
      Layer.provide(NodeServices.layer)
    )
    return yield* work(directory).pipe(Effect.provide(manager))
  })

const words = (line: string) => ShellWords.split(line).slice(1)

it.effect("a script prints one document for each of its commands", () =>
  session((directory) =>
    Effect.gen(function* () {
      const commands = ["start ./app --break square", "next", "expect ok=true", "print nope", "print n"]
      const documents = yield* Envelopes.run(["do", commands.join(";")], directory)
      assert.deepStrictEqual(
        documents.map((document) => [Reflect.get(Object(document), "cmd"), Envelopes.codeOf(document)]),
        [
          ["start", undefined],
          ["next", undefined],
          ["expect", undefined],
          ["print", "VARIABLE_NOT_FOUND"]
        ]
      )
    })
  )
)

describe("the examples of every command", () => {
  it.effect.each(Envelopes.examples)("$line", ({ argv, name }) =>
    session((directory) =>
      Effect.gen(function* () {
        const parsed = Argv.parse(argv)
        assert(Result.isSuccess(parsed.request), argv.join(" "))
        if (!["start", "attach", "core", "connect"].includes(name)) {
          yield* Envelopes.run(["start", "./app", "--break", "square"], directory)
        }
        for (const line of Envelopes.before[name] ?? []) yield* Envelopes.run(words(`sigtrap ${line}`), directory)
        // What is waited for never comes here.
        const documents = yield* Envelopes.run(
          [...argv, ...(argv.includes("--wait") ? ["--timeout", "0"] : [])],
          directory
        )
        assert.isAbove(documents.length, 0)
        assert.notInclude(["USAGE", "INTERNAL"], Envelopes.codeOf(documents[0]), JSON.stringify(documents[0]))
      })
    )
  )

  it.effect.each(Builtins.all.filter(({ client }) => !client))("$name", ({ examples }) =>
    session((directory) =>
      Effect.forEach(examples, (line) =>
        Effect.map(Envelopes.run(words(`sigtrap ${line}`), directory), ([document]) =>
          assert.isUndefined(Envelopes.codeOf(document), line)
        )
      )
    )
  )
})

describe("an answer", () => {
  it.effect("follows its schema for a session from its start to its end", () =>
    session((directory) =>
      Effect.gen(function* () {
        const lines = [
          "start ./app --break square --label mine -- one",
          "locals",
          "backtrace",
          "context",
          "print total",
          "expand pair",
          "threads",
          "breakpoint list",
          "registers",
          "continue",
          "changed",
          "output",
          "events",
          "status",
          "sessions",
          "modules",
          "breakpoint remove --all",
          "continue",
          "status",
          "context",
          "stop"
        ]
        for (const line of lines) {
          const [document] = yield* Envelopes.run(words(`sigtrap ${line}`), directory)
          assert.notInclude(["USAGE", "INTERNAL"], Envelopes.codeOf(document), line)
        }
      })
    )
  )

  it.effect("follows its schema for commands that fail", () =>
    session((directory) =>
      Effect.gen(function* () {
        const codes: Array<string | undefined> = []
        for (const line of [
          "next",
          "brek x",
          "next --nonsense",
          "start ./none",
          "stop unknown",
          "start ./app --break nofile.c:3"
        ]) {
          const documents = yield* Envelopes.run(words(`sigtrap ${line}`), directory)
          codes.push(Envelopes.codeOf(documents[0]))
        }
        assert.deepStrictEqual(codes, [
          "NO_SESSION",
          "USAGE",
          "USAGE",
          "PROGRAM_NOT_FOUND",
          "SESSION_NOT_FOUND",
          "BREAKPOINT_UNRESOLVED"
        ])
      })
    )
  )

  it.effect("is one document a line if it is a stream", () =>
    session((directory) =>
      Effect.gen(function* () {
        yield* Envelopes.run(["start", "./app"], directory)
        assert.isAbove((yield* Envelopes.run(["events", "--follow"], directory)).length, 0)
        assert.isAbove((yield* Envelopes.run(["output", "--follow", "--since", "0"], directory)).length, 0)
      })
    )
  )

  it.prop("of any error", [Errors.SigtrapError], ([error]) => {
    const document: unknown = JSON.parse(JSON.stringify(Envelope.failure(error, HintText.write)))
    Envelopes.check("next", document)
  })

  it.effect.each([
    "config list",
    "config get timeouts.wait",
    "config set timeouts.wiat 1",
    "config path",
    "skill print",
    "log -n 1",
    "adapters",
    "setup --list",
    "test validate nothing.yaml"
  ])("of %s, which is about the machine", (line) =>
    Effect.gen(function* () {
      const directory = yield* project
      const [name = "", ...argv] = line.split(" ")
      const command = LocalCommands.commands[name]
      assert.isDefined(command)
      const environment = { HOME: directory, PATH: process.env["PATH"] ?? "" }
      const place = { directory, environment, runtimeDirectory: directory }
      const answer = yield* Effect.result(command?.(argv, place) ?? Effect.die(name))
      const document = Result.match(answer, {
        onFailure: (error) => Envelope.failure(error, HintText.write, name),
        onSuccess: (told) => LocalCommands.documentOf(name, told)
      })
      Envelopes.check(name, JSON.parse(JSON.stringify(document)))
    })
  )
})

it("the schema of every command can be compiled, that of its payload too", () => {
  for (const { name } of [...Commands.all, ...Builtins.all])
    Envelopes.check(name, Envelope.failure(new Errors.NoSession({}), HintText.write))
  assert.isTrue(Schema.is(Errors.SigtrapError)(new Errors.NoSession({})))
})
