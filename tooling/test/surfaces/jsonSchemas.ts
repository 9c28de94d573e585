/** Validates what commands print with `--json` against `sigtrap schema`, and lists every example of their help. */
import { assert } from "@effect/vitest"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as CommandSchemas from "sigtrap/help/CommandSchemas"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { ShellWords } from "@sigtrap/protocol"
import { Effect, Predicate, Stream } from "effect"

const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true })

const compiled = new Map<string, ValidateFunction>()

const schemaOf = (name: string): object => {
  const command = Commands.find(name)
  return command === undefined
    ? CommandSchemas.builtinSchema(name.split(" ")[0] ?? name).envelope
    : CommandSchemas.schema(command).envelope
}

const general = ajv.compile(CommandSchemas.schemas().envelope)

/** Fails unless a document follows the schema of its command, and the one of all commands. */
export const check = (name: string, document: unknown, line = name): void => {
  const validate = compiled.get(name) ?? ajv.compile(schemaOf(name))
  compiled.set(name, validate)
  const complain = (errors: ValidateFunction["errors"]) =>
    (errors ?? [])
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join("\n")
  assert.isTrue(validate(document), `${line}\n${complain(validate.errors)}\n${JSON.stringify(document).slice(0, 2000)}`)
  assert.isTrue(general(document), `${line}, the schema of all commands\n${complain(general.errors)}`)
}

/** Every example of every command that calls an operation, as words, by the command's name. */
export const examples: ReadonlyArray<{
  readonly name: string
  readonly line: string
  readonly argv: ReadonlyArray<string>
}> = CommandSchemas.commands().flatMap(({ examples, name }) =>
  examples.map(({ line }) => ({ name, line, argv: ShellWords.split(line).slice(1) }))
)

const traced = "trace 'app.c:10 :: {total} {i}' 'app.c:11 :: {total}' --max 2"

/** The files that examples give a program as its input. */
export const inputs = ["good.txt", "bad.txt"]

/** Commands that must run before the examples of a command. */
export const before: { readonly [name: string]: ReadonlyArray<string> } = {
  "catch remove": ["catch throw"],
  down: ["up"],
  "defaults use": ["defaults set --profile tablet --simulator booted"],
  "hits list": [traced],
  "hits diff": [traced],
  "hits trend": [traced],
  "hits export": [traced],
  "breakpoint load": ["breakpoint save breakpoints.json"]
}

/** Returns the name of the command that a document of a script is about; `expect` has no schema. */
const commandOf = (document: unknown): string => (Predicate.isReadonlyObject(document) ? String(document["cmd"]) : "")

/** Runs a command line with `--json` and checks each document that it prints; the documents. */
export const run = Effect.fnUntraced(function* (
  argv: ReadonlyArray<string>,
  directory: string,
  environment: { readonly [name: string]: string } = {}
) {
  const end = argv.indexOf("--")
  const place = end === -1 ? argv.length : end
  const line = [...argv.slice(0, place), "--json", ...argv.slice(place)]
  const terminal = { stdout: false, stderr: false, columns: 80, color: false }
  const pieces = yield* CommandRunner.exec({ argv: line, directory, environment, terminal }).pipe(Stream.runCollect)
  const stdout = pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join("")
  const stderr = pieces.map((piece) => (piece._tag === "Stderr" ? piece.text : "")).join("")
  assert.strictEqual(stderr, "", argv.join(" "))
  const documents = stdout
    .trimEnd()
    .split("\n")
    .map((each): unknown => JSON.parse(each))
  const resolved = Commands.resolve(argv)
  const name = resolved?.command?.name ?? resolved?.builtin?.name ?? ""
  for (const document of documents) {
    const shown = name === "script" ? commandOf(document) : name
    if (shown !== "expect") check(shown, document, argv.join(" "))
  }
  return documents
})

/** Returns the code of the error in a document. */
export const codeOf = (document: unknown): string | undefined => {
  const error = Predicate.isReadonlyObject(document) ? document["error"] : undefined
  const code = Predicate.isReadonlyObject(error) ? error["code"] : undefined
  return Predicate.isString(code) ? code : undefined
}
