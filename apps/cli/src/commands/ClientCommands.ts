/**
 * The commands that run in the client: they use the machine, not a session.
 */
import { Envelope, Errors, Hint, Nearest } from "@sigtrap/protocol"
import * as ErrorDocument from "@sigtrap/protocol/ErrorDocument"
import { Doc, Failure, Sanitise, View } from "@sigtrap/text"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import { Effect, Option, Result } from "effect"
import * as HintText from "../render/HintText.ts"
import * as JsonDocument from "../render/JsonDocument.ts"
import * as StreamWriter from "../render/StreamWriter.ts"
import * as Arguments from "./Arguments.ts"
import type { EarlyOptions } from "../thin/EarlyOptions.ts"
import * as ConfigCommand from "./ConfigCommand.ts"
import * as DoctorCommand from "./DoctorCommand.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as GrantCommand from "./GrantCommand.ts"
import * as LogCommand from "./LogCommand.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as SetupCommand from "./SetupCommand.ts"
import * as SkillCommand from "./SkillCommand.ts"
import * as TestCommand from "./TestCommand.ts"
import * as WebCommand from "./WebCommand.ts"
import * as WorkingDirectory from "../runner/WorkingDirectory.ts"

/** The commands by name. */
export const commands: { readonly [name: string]: Command } = {
  adapters: DoctorCommand.adapters,
  config: ConfigCommand.run,
  doctor: DoctorCommand.doctor,
  grant: GrantCommand.grant,
  log: LogCommand.log,
  serve: ServeCommand.serve,
  setup: SetupCommand.setup,
  skill: SkillCommand.skill,
  test: TestCommand.run,
  web: WebCommand.web
}

/** Returns the JSON of an answer. */
export const documentOf = (name: string, { data, problem }: Answer) => {
  if (problem === undefined) return { ok: true, cmd: name, data, warnings: [], truncated: [] }
  const { code, hints, message } = problem
  const shown = Envelope.hints(hints, HintText.write)
  return { ...ErrorDocument.make({ code, message, hints: shown, details: {} }, { cmd: name, data }), truncated: [] }
}

/** Returns the JSON of an answer as the options ask for it: one part of it, or indented. */
const printed = Effect.fnUntraced(function* (name: string, words: Arguments.Words | undefined, answer: Answer) {
  const document = documentOf(name, answer)
  const pretty = words?.flags.has("pretty") === true
  const path = words?.values.get("select")
  if (path === undefined || answer.problem !== undefined) return JsonDocument.print(document, pretty)
  const part = JsonDocument.select(document, path)
  if (part.found) return JsonDocument.printPart(part.value, pretty)
  return yield* new Errors.Usage({
    problem: `nothing at ${path} in the answer: no '${part.missing}'`,
    near: Nearest.names(part.missing, part.names),
    remedies: [Hint.local(name, ["--json"])]
  })
})

const printAnswer = Effect.fnUntraced(function* (
  { json }: EarlyOptions,
  name: string,
  words: Arguments.Words | undefined,
  answer: Answer
) {
  const { problem, text } = answer
  if (json || words?.values.has("select") === true || words?.flags.has("pretty") === true) {
    yield* StreamWriter.write(process.stdout, yield* printed(name, words, answer))
  } else {
    yield* StreamWriter.write(process.stdout, Sanitise.text(text))
    if (problem !== undefined) yield* StreamWriter.write(process.stderr, lines(problem))
  }
  return problem?.exit ?? 0
})

const lines = ({ code, hints: [hint], message }: NonNullable<Answer["problem"]>) =>
  Sanitise.text(
    `error: ${message} [${code}]\n${hint === undefined ? "" : `hint${View.reason(hint)}: ${View.write(view, hint)}\n`}`
  )

const view: View.View = { write: HintText.write }

const printError = Effect.fnUntraced(function* ({ json }: EarlyOptions, name: string, error: Errors.SigtrapError) {
  if (json)
    yield* StreamWriter.write(process.stdout, JsonDocument.print(Envelope.failure(error, HintText.write, name), false))
  else yield* StreamWriter.write(process.stderr, Doc.render(Failure.render(error, view)))
  return Errors.meta(error).exit
})

/** Runs one of the commands; succeeds with the exit code. */
export const run = (
  options: EarlyOptions,
  name: string,
  words: ReadonlyArray<string>,
  place: Place
): Effect.Effect<number> => {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    return printError(
      options,
      name,
      new Errors.Usage({ problem: `no command '${name}'`, near: [], remedies: [Hint.local("help")] })
    )
  }
  const print = (text: string) => StreamWriter.write(process.stdout, Sanitise.text(text))
  const known = Builtins.find(name)
  const given =
    known === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(Arguments.read(known.name, words)))
  return WorkingDirectory.of(place.directory, given?.values.get("directory")).pipe(
    Effect.flatMap((directory) => command(words, { ...place, directory, ...(options.json ? {} : { print }) })),
    Effect.flatMap((answer) => printAnswer(options, name, given, answer)),
    Effect.catch((error) => printError(options, name, error))
  )
}
