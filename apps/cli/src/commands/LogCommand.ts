/**
 * `sigtrap log`: shows the newest lines of the daemon's log, and with `--follow` new ones. `daemon logs` shows only lines
 * about the daemon itself. The log has no program output. `--audit` shows the audit log
 * instead (`AuditCommand`), `--slow` the slowest calls (`SlowCallsCommand`).
 */
import { DaemonLauncher, RuntimeDirectory } from "@sigtrap/host"
import { Errors, Hint, Nearest, Pattern } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Effect, Result } from "effect"
import { closeSync, existsSync, openSync, readSync, statSync, truncateSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import type { Answer, Command } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"
import * as AuditCommand from "./AuditCommand.ts"
import * as SlowCallsCommand from "./SlowCallsCommand.ts"

const usage = (problem: string, near: ReadonlyArray<string> = []) =>
  new Errors.Usage({ problem, near, remedies: [Hint.help("log")] })

const severities = ["debug", "info", "warn", "error"] as const

/** Sources of records: requests on the socket, or the daemon itself. */
const sources = ["daemon", "ipc"] as const

/** Returns a field of a record. */
const field = (line: string, name: string): string | undefined => {
  for (const [, key, quoted, bare] of line.matchAll(/(?:^| )(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))/gu)) {
    if (key === name) return quoted ?? bare
  }
  return undefined
}

const severityOf = (line: string): number => {
  const level = field(line, "level")?.toLowerCase() ?? "info"
  return severities.findIndex((each) => level.startsWith(each))
}

/** A filter of records. */
interface Filter {
  readonly match: Pattern.Pattern
  readonly source: string | undefined
  readonly session: string | undefined
  readonly least: number
}

const passes =
  ({ least, match, session, source }: Filter) =>
  (line: string): boolean =>
    match.test(line) &&
    (source === undefined || (field(line, "source") ?? "daemon") === source) &&
    (session === undefined || field(line, "session") === session) &&
    (least <= 0 || severityOf(line) >= least)

const oneOf = (option: string, value: string | undefined, known: ReadonlyArray<string>) =>
  value === undefined || known.includes(value)
    ? Result.succeed(value)
    : Result.fail(usage(`--${option}: '${value}' is not one of ${known.join(", ")}`, Nearest.names(value, known)))

const filterOf = ({ values }: Arguments.Words): Result.Result<Filter, Errors.Usage> =>
  Result.gen(function* () {
    const level = yield* oneOf("level", values.get("level"), severities)
    const source = yield* oneOf("source", values.get("source"), sources)
    const written = values.get("match") ?? ""
    const match = yield* Result.mapError(Pattern.parse(written), ({ problem }) => usage(problem))
    const least = severities.findIndex((each) => each === level)
    return { match, source, session: values.get("session"), least }
  })

const sizeOf = (file: string): number =>
  Result.getOrElse(
    Result.try(() => statSync(file).size),
    () => 0
  )

/** Returns the complete lines of a file after an offset, and the next offset. A truncated file is read from its start. */
const since = (file: string, from: number): { readonly lines: ReadonlyArray<string>; readonly next: number } => {
  const size = sizeOf(file)
  const start = size < from ? 0 : from
  if (size === start) return { lines: [], next: start }
  const bytes = Buffer.alloc(Math.min(size - start, 4 * 1024 * 1024))
  const descriptor = openSync(file, "r")
  const length = readSync(descriptor, bytes, 0, bytes.length, start)
  closeSync(descriptor)
  const text = bytes.subarray(0, length).toString("utf8")
  const end = text.lastIndexOf("\n") + 1
  return {
    lines: end === 0 ? [] : text.slice(0, end - 1).split("\n"),
    next: start + Buffer.byteLength(text.slice(0, end))
  }
}

/** Shows new lines until interrupted. */
const follow = (file: string, from: number, filter: Filter, show: (lines: ReadonlyArray<string>) => void) =>
  Effect.callback<never>(() => {
    let next = from
    const look = () => {
      if (!existsSync(file)) return
      const read = since(file, next)
      next = read.next
      const lines = read.lines.filter(passes(filter))
      if (lines.length > 0) show(lines)
    }
    const watcher = watch(dirname(file), (_, name) => {
      if (name === null || name === basename(file)) look()
    })
    look()
    return Effect.sync(() => watcher.close())
  })

/** Runs `log`. */
export const log: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("log", argv))
  if (words.flags.has("slow")) return yield* SlowCallsCommand.slow(argv, place)
  if (words.flags.has("audit")) return yield* AuditCommand.audit(argv, place)
  const [extra] = words.words
  if (extra !== undefined)
    return yield* usage(`log takes no '${extra}'`, ["audit", "slow"].includes(extra) ? [`--${extra}`] : [])
  const count = Number(words.values.get("lines") ?? 50)
  if (!Number.isInteger(count) || count < 0 || count > 100_000) {
    return yield* usage("--lines: write a whole number from 0 to 100000")
  }
  yield* Pattern.load
  const filter = yield* Effect.fromResult(filterOf(words))
  const { log: file } = yield* RuntimeDirectory.make(place.runtimeDirectory)
  const end = sizeOf(file)
  // With a filter, the matching lines may be far back.
  const all = DaemonLauncher.tail(file, words.values.size === 0 ? count : 100_000, 4 * 1024 * 1024)
  const lines = count === 0 ? [] : all.filter(passes(filter)).slice(-count)
  if (words.flags.has("clear") && existsSync(file)) yield* Effect.sync(() => truncateSync(file))
  const data = { log: file, lines }
  const answer: Answer = { text: lines.map((line) => `${line}\n`).join(""), data }
  if (!words.flags.has("follow")) return answer
  const json = words.flags.has("json") || place.environment["SIGTRAP_FORMAT"] === "json"
  const show = (fresh: ReadonlyArray<string>) => {
    const document = { ok: true, cmd: "log", data: { log: file, lines: fresh }, warnings: [], truncated: [] }
    process.stdout.write(
      json ? `${JSON.stringify(document)}\n` : Sanitise.text(fresh.map((line) => `${line}\n`).join(""))
    )
  }
  if (lines.length > 0) show(lines)
  return yield* follow(file, words.flags.has("clear") ? 0 : end, filter, show)
})
