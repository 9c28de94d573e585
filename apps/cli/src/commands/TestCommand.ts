/**
 * `sigtrap test FILE…`, `test validate FILE…` and `test record FILE`.
 */
import { FileReader, FileWriter } from "@sigtrap/host"
import * as RemoteClient from "@sigtrap/host/daemon/client/RemoteClient"
import { Client, Errors, Hint, Nearest, Pattern } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { readdirSync, statSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { Recorder, Report, type Runner, Scenario } from "@sigtrap/scenario"
import * as ScenarioRunner from "./ScenarioRunner.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"

const usage = (problem: string, near: ReadonlyArray<string> = []) =>
  new Errors.Usage({ problem, near, remedies: [Hint.help("test")] })

const scenario = /\.(?:ya?ml|json)$/

/** Returns the named files, and the scenarios of named directories. */
const filesOf = Effect.fnUntraced(function* (words: ReadonlyArray<string>, place: Place) {
  if (words.length === 0) return yield* usage("FILE is missing")
  return words.flatMap((word) => {
    const path = resolve(place.directory, word)
    const folder = Result.try(() => statSync(path).isDirectory() && readdirSync(path))
    if (Result.isFailure(folder) || folder.success === false) return [path]
    const files = folder.success.filter((name) => scenario.test(name)).toSorted()
    return files.length === 0 ? [path] : files.map((name) => join(path, name))
  })
})

/** A scenario of a file, or the mistakes in it. */
interface Checked {
  readonly file: string
  /** Its number in the file, from 0. */
  readonly index: number
  readonly problems: ReadonlyArray<string>
  readonly name?: string
  /** Programs that it builds outside its temporary directory; scenarios that share one do not run at the same time. */
  readonly shares: ReadonlyArray<string>
}

/** Returns the programs that a scenario builds outside its temporary directory. */
const sharesOf = (scenario: Scenario.Scenario, home: string): ReadonlyArray<string> => {
  if (home === "") return []
  const lines = (scenario.setup ?? []).flatMap(({ shell }) =>
    shell === undefined ? [] : [shell.line].flat().join(" ")
  )
  const built = lines.flatMap((line) => [...line.matchAll(/\s-o\s*(\S+)/g)].map(([, name = ""]) => name))
  const { program } = scenario.target ?? {}
  return [...built, ...(program === undefined ? [] : [program])].map((name) => join(home, basename(name)))
}

/** Groups scenarios so that groups share no program. */
const groupsOf = (all: ReadonlyArray<Checked>): ReadonlyArray<ReadonlyArray<Checked>> =>
  all.reduce<ReadonlyArray<ReadonlyArray<Checked>>>((groups, one) => {
    const meets = (group: ReadonlyArray<Checked>) =>
      group.some(({ shares }) => shares.some((name) => one.shares.includes(name)))
    return [...groups.filter((group) => !meets(group)), [...groups.filter(meets).flat(), one]]
  }, [])

const check = Effect.fnUntraced(function* (file: string, place: Place) {
  const text = yield* Effect.result(FileReader.reader.text(file, FileReader.named))
  if (Result.isFailure(text)) {
    const isFolder = Result.getOrElse(
      Result.try(() => statSync(file).isDirectory()),
      () => false
    )
    const problem = isFolder ? "the directory has no scenario" : `it was not read: ${text.failure.detail}`
    const unread: ReadonlyArray<Checked> = [{ file, index: 0, shares: [], problems: [problem] }]
    return unread
  }
  return yield* Effect.forEach(Scenario.parseAll(text.success, {}, basename(file)), ({ read }, index) =>
    Effect.gen(function* () {
      if (Result.isFailure(read)) {
        const wrong: Checked = { file, index, problems: read.failure, shares: [] }
        return wrong
      }
      const places = { here: dirname(file), invoked: place.directory, work: "" }
      const home = yield* ScenarioRunner.home(read.success, text.success, places)
      const checked: Checked = {
        file,
        index,
        problems: [],
        name: read.success.name,
        shares: sharesOf(read.success, home)
      }
      return checked
    })
  )
})

/** Reads the scenarios of all files that the words name. */
const checkAll = Effect.fnUntraced(function* (words: ReadonlyArray<string>, place: Place) {
  yield* Pattern.load
  const files = yield* filesOf(words, place)
  return (yield* Effect.forEach(files, (file) => check(file, place))).flat()
})

/** Returns the mistakes in files as an answer with exit code 2. `report` is about the scenarios that ran. */
const invalid = (checked: ReadonlyArray<Checked>, report: Pick<Answer, "text" | "data">): Answer => {
  const wrong = checked.filter(({ problems }) => problems.length > 0)
  const message = wrong.map(({ file, problems }) => `${file}: ${problems.join("; ")}`).join("\n")
  return { ...report, problem: { code: "INVALID_CONFIG", exit: 2, message, hints: [Hint.help("test")] } }
}

const validate = Effect.fnUntraced(function* (words: ReadonlyArray<string>, place: Place) {
  const checked = yield* checkAll(words, place)
  const fine = [...new Set(checked.map(({ file }) => file))].filter((file) =>
    checked.every((one) => one.file !== file || one.problems.length === 0)
  )
  const answer: Answer = {
    text: fine.map((file) => `${file} is valid\n`).join(""),
    data: { files: checked.map(({ index: _, shares: __, ...one }) => one) }
  }
  return checked.some(({ problems }) => problems.length > 0) ? invalid(checked, answer) : answer
})

const isForm = (text: string): text is Report.Form => Report.forms.some((form) => form === text)

const whole = (text: string | undefined, fallback: number, most: number): number => {
  const number = Number(text ?? fallback)
  return Number.isInteger(number) && number >= 0 ? Math.min(number, most) : fallback
}

const runAll = Effect.fnUntraced(function* (words: Arguments.Words, place: Place) {
  const form = words.values.get("report") ?? "text"
  if (!isForm(form)) return yield* usage(`unknown report format '${form}'`, Nearest.names(form, Report.forms))
  const written = words.values.get("filter")
  const filter = yield* Effect.mapError(Pattern.compile(written ?? ""), ({ problem }) => usage(problem))
  const checked = yield* checkAll(words.words, place)
  const chosen = checked.filter(
    ({ file, name = "", problems }) => problems.length > 0 || filter.test(name) || filter.test(basename(file))
  )
  const adapter = words.values.get("adapter")
  const options: Runner.Options = {
    environment: place.environment,
    keep: words.flags.has("keep"),
    update: words.flags.has("update"),
    directory: place.directory,
    ...(adapter === undefined ? {} : { adapter })
  }
  const retries = whole(words.values.get("retries"), 0, 10)
  const wrong = ({ file, index, problems }: Checked): Runner.Outcome => {
    const message = problems.join("; ")
    const name = `${relative(place.directory, file)}${index === 0 ? "" : ` (${index + 1})`}`
    return { file, name, result: "failed", ms: 0, steps: 0, message }
  }
  const attempt = (one: Checked, left: number): Effect.Effect<Runner.Outcome> =>
    Effect.flatMap(ScenarioRunner.run(one.file, options, one.index), (outcome) =>
      outcome.result === "failed" && left > 0 ? attempt(one, left - 1) : Effect.succeed(outcome)
    )
  const ran = yield* Effect.forEach(
    groupsOf(chosen),
    (group) =>
      Effect.forEach(group, (one) =>
        Effect.map(one.problems.length > 0 ? Effect.succeed(wrong(one)) : attempt(one, retries), (outcome) => ({
          one,
          outcome
        }))
      ),
    { concurrency: Math.max(1, whole(words.values.get("jobs"), 1, 16)) }
  )
  const outcomes = ran
    .flat()
    .toSorted((a, b) => chosen.indexOf(a.one) - chosen.indexOf(b.one))
    .map(({ outcome }) => ({ ...outcome, file: relative(place.directory, outcome.file) }))
  const { failed } = Report.counts(outcomes)
  const answer: Answer = {
    text: `${Report.print(form, outcomes, words.flags.has("verbose"))}\n`,
    data: Report.data(outcomes)
  }
  if (chosen.some(({ problems }) => problems.length > 0)) return invalid(chosen, answer)
  if (failed === 0) return answer
  const message = `${failed} of ${outcomes.length} scenarios failed`
  return {
    ...answer,
    problem: {
      code: "TEST_FAILED",
      exit: 1,
      message,
      hints: [Hint.local("test", [...words.words, "--verbose", "--keep"])]
    }
  }
})

const record = Effect.fnUntraced(
  function* (words: Arguments.Words, place: Place) {
    const [file] = words.words.slice(1)
    if (file === undefined) return yield* usage("FILE is missing")
    const target = resolve(place.directory, file)
    const options = {
      force: words.flags.has("force"),
      retry: Hint.local("test", ["record", file, "--force"], "to replace it")
    }
    const client = yield* Client.Client
    const status = (yield* client.call("status", {})).data
    if (status.program === undefined) return yield* new Errors.NoSession({})
    const { events } = (yield* client.call("events", {
      kind: [],
      limit: 10_000,
      follow: false,
      timeout: "0"
    })).data
    const { steps, text } = Recorder.write(
      { status, events, program: status.program, name: basename(status.program) },
      ScenarioRunner.resolve
    )
    yield* FileWriter.write(target, text, options)
    const answer: Answer = { text: `${target}\n`, data: { file: target, steps } }
    return answer
  },
  (effect, _, place: Place) =>
    Effect.provide(effect, RemoteClient.layer({ runtimeDirectory: place.runtimeDirectory, daemon: undefined }))
)

/** Runs the command. */
export const run: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("test", argv))
  const [first, ...rest] = words.words
  if (first === "validate") return yield* validate(rest, place)
  if (first === "record") return yield* record(words, place)
  return yield* runAll(words, place)
})
