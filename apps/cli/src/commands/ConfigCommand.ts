/**
 * `sigtrap config path|list|get|set|unset|edit|init|validate|trust`: shows and changes the user's file, or the project's with
 * `--project`. `list` shows the effective values of all sources.
 */
import { Config, SettingsFile } from "@sigtrap/host"
import { Errors, Hint, Nearest, Settings } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { spawnSync } from "node:child_process"
import { join, resolve } from "node:path"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"

const verbs = ["path", "list", "get", "set", "unset", "edit", "init", "validate", "trust"] as const

const usage = (problem: string, near: ReadonlyArray<string> = [], hint: Hint.Hint = Hint.local("config.list")) =>
  new Errors.Usage({ problem, near, remedies: [hint] })

/** The file of a command and its text; the text is absent if the file does not exist. */
interface Target {
  readonly file: string
  readonly text: string | undefined
}

/** Fails for a file that breaks a rule of `FileReader`. */
const unreadable = ({ detail, file }: { readonly file: string; readonly detail: string }) =>
  new Errors.InvalidConfig({ file, problems: [detail] })

const shown = (value: Settings.Value): string => (typeof value === "string" ? value : value.join(","))

/** Returns the mistakes in a file as an answer with the exit code of `InvalidConfig`. */
const invalid = (file: string, problems: ReadonlyArray<string>): Answer => {
  const error = new Errors.InvalidConfig({ file, problems })
  const { code, exit } = Errors.meta(error)
  return {
    text: "",
    data: { file, problems },
    problem: { code, exit, message: error.message, hints: [Hint.local("config.edit")] }
  }
}

const keyOf = (name: string | undefined) =>
  name === undefined
    ? Effect.fail(usage("KEY is missing"))
    : Effect.mapError(Effect.fromResult(Settings.find(name)), ({ near }) => usage(`no key '${name}'`, near))

const itemOf = (key: Settings.Key, items: ReadonlyArray<Config.Item>): Config.Item | undefined =>
  items.find((item) => item.key === key.key) ??
  (key.fallback === undefined ? undefined : { key: key.key, value: key.fallback, origin: "default" })

/** Lists the effective values. A key with a name chosen by the user, such as an alias, is listed only if set. */
const list = ({ items, project }: Config.Resolved): Answer => {
  const known = Settings.keys.flatMap((key) => {
    const own = items.filter((item) => {
      const found = Settings.find(item.key)
      return Result.isSuccess(found) && found.success.description === key.description && item.key !== key.key
    })
    const item = key.key.includes("NAME") ? undefined : itemOf(key, items)
    return item === undefined ? own : [item]
  })
  const width = Math.max(...known.map(({ key }) => key.length))
  const lines = known.map(
    ({ key, origin, value }) => `${key.padEnd(width)} ${(shown(value) || '""').padEnd(12)} ${origin}`
  )
  const note =
    project === undefined || project.trusted
      ? []
      : project.problem === undefined
        ? [`${project.file} is not trusted and is ignored: sigtrap config trust`]
        : [`${project.file} is ignored: ${project.problem}`]
  return {
    text: `${[...lines, ...note].join("\n")}\n`,
    data: { items: known, ...(project === undefined ? {} : { project }) }
  }
}

const valueFor = Effect.fnUntraced(function* (key: Settings.Key, words: ReadonlyArray<string>) {
  if (words.length === 0) {
    const example = key.fallback === undefined ? "VALUE" : shown(key.fallback) || "VALUE"
    return yield* usage("VALUE is missing", [], Hint.local("config.set", [key.key, example]))
  }
  const value: Settings.Value = key.list === true ? words.flatMap((word) => word.split(",")) : words.join(" ")
  const wrong = SettingsFile.problem(key, value)
  return wrong === undefined ? value : yield* usage(`${key.key}: ${wrong}, not '${shown(value)}'`)
})

const edit = Effect.fnUntraced(function* (
  { file, text }: Target,
  place: Place,
  reread: Effect.Effect<string | undefined, Errors.InvalidConfig>
) {
  const editor = place.environment["VISUAL"] || place.environment["EDITOR"] || "vi"
  if (text === undefined) yield* Config.save(file, SettingsFile.template())
  // The variable may have arguments. No shell expands them.
  const [program = "vi", ...args] = editor.split(/\s+/)
  const { error, status } = yield* Effect.sync(() => spawnSync(program, [...args, file], { stdio: "inherit" }))
  if (error !== undefined || status !== 0) {
    return yield* usage(
      `the editor ${editor} ended with ${error?.message ?? status ?? "a signal"}`,
      [],
      Hint.local("config.edit", [], "with EDITOR=nano in the environment")
    )
  }
  const after = Config.parse((yield* reread) ?? "")
  const answer: Answer = Result.isFailure(after)
    ? invalid(file, after.failure)
    : { text: `${file}\n`, data: { file, problems: [] } }
  return answer
})

const trust = Effect.fnUntraced(function* (place: Place, words: Arguments.Words) {
  const project = yield* Effect.mapError(Config.projectFile(place.directory), unreadable)
  if (project === undefined) {
    return yield* usage(`there is no ${Config.projectName} here or above`, [], Hint.local("config.init", ["--project"]))
  }
  const wanted = !words.flags.has("revoke")
  const read = Config.parse(project.text)
  if (wanted && Result.isFailure(read)) return invalid(project.file, read.failure)
  yield* Config.trust(project, place, wanted)
  const programs = wanted && Result.isSuccess(read) ? read.success.filter(Config.choosesProgram) : []
  const answer: Answer = {
    text: [
      `${project.file} is ${wanted ? "trusted" : "no longer trusted"}`,
      ...(programs.length === 0 ? [] : ["it chooses programs that sigtrap starts:"]),
      ...programs.map(({ key, value }) => `  ${key} = ${shown(value)}`),
      ""
    ].join("\n"),
    data: { file: project.file, trusted: wanted, programs: programs.map(({ key, value }) => ({ key, value })) }
  }
  return answer
})

/** Runs the command. */
export const run: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("config", argv))
  const named = words.values.get("config")
  const source: Config.Place = { ...place, ...(named === undefined ? {} : { file: resolve(place.directory, named) }) }
  const [written = "list", name, ...rest] = words.words
  const verb = verbs.find((known) => known === written)
  if (verb === undefined) return yield* usage(`config has no command '${written}'`, Nearest.names(written, verbs))
  if (verb === "trust") return yield* trust(place, words)
  if (verb === "list") return list(yield* Config.resolve(source))
  if (verb === "get") {
    const key = yield* keyOf(name)
    const item = itemOf(key, (yield* Config.resolve(source)).items)
    if (item === undefined) return yield* usage(`${key.key} is not set`)
    return { text: `${shown(item.value)}\n`, data: item }
  }

  const isProject = words.flags.has("project")
  const found = isProject ? yield* Effect.mapError(Config.projectFile(place.directory), unreadable) : undefined
  const file = isProject ? (found?.file ?? join(place.directory, Config.projectName)) : Config.path(source)
  if (file === undefined) {
    return yield* usage("no place for the configuration file: HOME is not set", [], Hint.help("config"))
  }
  const read = isProject ? Effect.mapError(Config.projectText(file), unreadable) : Config.text(source)
  const target: Target = { file, text: yield* read }
  if (verb === "path") return { text: `${file}\n`, data: { path: file, exists: target.text !== undefined } }
  if (verb === "edit") return yield* edit(target, place, read)
  if (verb === "init") {
    if (target.text !== undefined && !words.flags.has("force")) {
      const again = Hint.local("config", ["init", ...(isProject ? ["--project"] : []), "--force"], "to replace it")
      return yield* new Errors.FileExists({ path: file, remedies: [again, Hint.local("config.edit")] })
    }
    yield* Config.save(file, SettingsFile.template(), isProject ? 0o644 : 0o600)
    return { text: `${file}\n`, data: { file } }
  }
  const parsed = SettingsFile.parse(target.text ?? "")
  // This command cannot change an invalid file; the user must repair it in an editor.
  if (Result.isFailure(parsed)) return invalid(file, parsed.failure)
  if (verb === "validate") {
    const problems = SettingsFile.conflicts(parsed.success)
    if (problems.length > 0) return invalid(file, problems)
    return { text: `${file} is valid\n`, data: { file, problems: [] } }
  }
  const key = yield* keyOf(name)
  const value = verb === "set" ? yield* valueFor(key, rest) : undefined
  const changed = yield* Effect.fromResult(SettingsFile.change(target.text ?? "", key.key, value)).pipe(
    Effect.mapError((problem) => usage(problem, [], Hint.local("config.edit", isProject ? ["--project"] : [])))
  )
  yield* Config.save(file, changed, isProject ? 0o644 : 0o600)
  // A change of a trusted file by this command keeps it trusted.
  if (isProject && target.text !== undefined && (yield* Config.isTrusted({ file, text: target.text }, place))) {
    yield* Config.trust({ file, text: changed }, place)
  }
  const origin = isProject ? "project" : "user"
  return value === undefined
    ? { text: `${key.key} is no longer set\n`, data: { key: key.key } }
    : { text: `${key.key} = ${shown(value)}\n`, data: { key: key.key, value, origin } }
})
