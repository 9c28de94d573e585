/**
 * The commands that this program carries out itself, in the process of whoever typed them: they concern the machine, not a
 * session.
 */
import { Errors } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Effect } from "effect"
import type { EarlyOptions } from "../thin/EarlyOptions.ts"
import * as ConfigCommand from "./ConfigCommand.ts"
import * as DoctorCommand from "./DoctorCommand.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as LogCommand from "./LogCommand.ts"
import * as SetupCommand from "./SetupCommand.ts"
import * as SkillCommand from "./SkillCommand.ts"
import * as TestCommand from "./TestCommand.ts"

/** The commands by name. */
export const commands: { readonly [name: string]: Command } = {
  adapters: DoctorCommand.adapters,
  config: ConfigCommand.run,
  doctor: DoctorCommand.doctor,
  log: LogCommand.log,
  setup: SetupCommand.setup,
  skill: SkillCommand.skill,
  test: TestCommand.run
}

const write = (stream: NodeJS.WriteStream, text: string) =>
  text === ""
    ? Effect.void
    : Effect.callback<void>((resume) => {
        stream.write(text, () => resume(Effect.void))
      })

/** The JSON of an answer. */
export const documentOf = (name: string, { data, problem }: Answer) => {
  const error = problem === undefined ? {} : { error: { ...withoutExit(problem), details: {} } }
  return { ok: problem === undefined, cmd: name, ...error, data, warnings: [], truncated: [] }
}

const shown = Effect.fnUntraced(function* ({ json }: EarlyOptions, name: string, answer: Answer) {
  const { problem, text } = answer
  if (json) {
    yield* write(process.stdout, `${JSON.stringify(documentOf(name, answer))}\n`)
  } else {
    yield* write(process.stdout, Sanitise.text(text))
    if (problem !== undefined) yield* write(process.stderr, lines(problem))
  }
  return problem?.exit ?? 0
})

const withoutExit = ({ exit: _, ...rest }: NonNullable<Answer["problem"]>) => rest

const lines = ({ code, hint, message }: { readonly code: string; readonly message: string; readonly hint: string }) =>
  Sanitise.text(`error: ${message} [${code}]\nhint: ${hint}\n`)

const failed = Effect.fnUntraced(function* (options: EarlyOptions, name: string, error: Errors.SigtrapError) {
  const { code, exit } = Errors.meta(error)
  return yield* shown(options, name, {
    text: "",
    data: undefined,
    problem: { code, exit, message: error.message, hint: error.hint }
  })
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
    return failed(options, name, new Errors.Usage({ problem: `no command '${name}'`, near: [], help: "sigtrap help" }))
  }
  return command(words, place).pipe(
    Effect.flatMap((answer) => shown(options, name, answer)),
    Effect.catch((error) => failed(options, name, error))
  )
}
