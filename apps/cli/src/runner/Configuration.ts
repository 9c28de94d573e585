/**
 * The configuration of a command line: the effective values in its directory, and the user's own aliases.
 */
import { resolve } from "node:path"
import type * as Config from "@sigtrap/host/config/Config"
import * as ConfigCache from "@sigtrap/host/config/ConfigCache"
import type { CommandLine } from "@sigtrap/host/daemon/Protocol"
import { type Answer, Errors, Hint, Settings, ShellWords } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as WorkingDirectory from "./WorkingDirectory.ts"

/** The effective values, or the problem of a file. */
export interface Configuration {
  readonly values: Settings.Values
  readonly project?: Config.Resolved["project"]
  readonly problem?: Errors.SigtrapError
}

/**
 * Reads the configuration; options of the command line choose the directory and the user's file. A path with a NUL byte is a
 * mistake of the caller.
 */
export const of = (
  request: Pick<CommandLine, "directory" | "environment">,
  globals: Argv.Fields
): Effect.Effect<Configuration> => {
  const text = (field: string) => (Predicate.isString(globals[field]) ? globals[field] : undefined)
  const file = text("config")
  if ([request.directory, text("directory") ?? "", file ?? ""].some((path) => path.includes("\0"))) {
    const remedies = [Hint.remedy("give a path without NUL bytes")]
    const problem = new Errors.Usage({ problem: "a path has a NUL byte", near: [], remedies })
    return Effect.succeed({ values: {}, problem })
  }
  return WorkingDirectory.of(request.directory, text("directory")).pipe(
    Effect.flatMap((directory) =>
      ConfigCache.resolve({
        directory,
        environment: request.environment,
        ...(file === undefined ? {} : { file: resolve(directory, file) })
      })
    ),
    Effect.match({
      onFailure: (problem): Configuration => ({ values: {}, problem }),
      onSuccess: ({ project, values }) => (project === undefined ? { values } : { values, project })
    })
  )
}

/** True for a word with which the name of a command begins. */
const beginsCommand = (word: string): boolean =>
  Commands.resolve([word]) !== undefined || Commands.names.some((name) => name.startsWith(`${word} `))

/** Replaces a user's alias by its words. Names of commands and of their groups cannot be aliases. */
export const expand = (argv: ReadonlyArray<string>, values: Settings.Values): ReadonlyArray<string> => {
  const place = Argv.firstWord(argv)
  const word = place === undefined ? undefined : argv[place]
  if (place === undefined || word === undefined || beginsCommand(word)) return argv
  const replacement = Settings.text(values, `alias.${word}`)
  return replacement === undefined
    ? argv
    : [...argv.slice(0, place), ...ShellWords.split(replacement), ...argv.slice(place + 1)]
}

/** Adds a hint to an error if an untrusted project file was not read, which may be the reason. */
export const withHint = <E extends Errors.SigtrapError>(error: E, { project }: Configuration): E =>
  project === undefined || project.trusted || project.problem !== undefined
    ? error
    : Object.assign(error, {
        remedies: [...error.hints, Hint.local("config.trust", [], `${project.file} was not read`)]
      })

/** Adds a warning to the answer if an untrusted project file was not read. */
export const withWarning = (answer: Answer.Answer<unknown>, { project }: Configuration): Answer.Answer<unknown> => {
  if (project === undefined || project.trusted) return answer
  const message = `${project.file} was not read: ${project.problem ?? "its content is not trusted"}`
  const hints = [project.problem === undefined ? Hint.local("config.trust") : Hint.local("config.list")]
  const warning = { code: "UNTRUSTED_CONFIG", message, hints }
  return { ...answer, warnings: [...answer.warnings, warning] }
}
