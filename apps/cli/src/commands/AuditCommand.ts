/**
 * `sigtrap log --audit`: shows the newest records of the audit log, or checks its chain with `--verify`. The client reads the
 * files, which only the owner may read.
 */
import { AuditReader, type AuditLine, RuntimeDirectory } from "@sigtrap/host"
import { Errors, Field, Hint, ShellWords } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import { Clock, Effect, Predicate, Result } from "effect"
import type { Answer, Command } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("log")] })

/** Returns a time in milliseconds: a date, a time of today, or a duration before now. Without an offset it is local. */
const timeOf = (text: string, now: number): Result.Result<number, Errors.Usage> => {
  const duration = Field.millis(text)
  if (Number.isFinite(duration) && duration > 0 && /[a-z]$/.test(text)) return Result.succeed(now - duration)
  const today = new Date(now)
  const [, hours, minutes, seconds = "0"] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? []
  if (hours !== undefined) return Result.succeed(today.setHours(Number(hours), Number(minutes), Number(seconds), 0))
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
  return Number.isNaN(time)
    ? Result.fail(usage(`--since: '${text}' is not a time; write 10:31, 2026-11-22 or 2h`))
    : Result.succeed(time)
}

const who = ({ kind, name }: AuditLine.Entry["actor"]) => (name === undefined ? kind : `${kind}:${name}`)

const pad = (number: number) => String(number).padStart(2, "0")

/** Returns a time of today as `10:31:09`, another one with its day. */
const clockTime = (iso: string, now: number): string => {
  const [time, today] = [new Date(iso), new Date(now)]
  const day = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} `
  const hour = `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`
  return time.toDateString() === today.toDateString() ? hour : day + hour
}

/** Maximum length of the arguments in one line, in characters. */
const maxArguments = 80

const words = (value: unknown): string =>
  Predicate.isString(value) ? ShellWords.quote(value) : (JSON.stringify(value) ?? "")

const argumentsOf = ({ args = {} }: AuditLine.Entry): string => {
  const text = Object.entries(args)
    .filter(([, value]) => value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => ` ${name}=${words(value)}`)
    .join("")
  return text.length > maxArguments ? `${text.slice(0, maxArguments - 1)}…` : text
}

const resultOf = ({ code, count, ok, refused, rule }: AuditLine.Entry): string => {
  const result =
    ok === undefined
      ? "running"
      : ok
        ? "ok"
        : [refused === true ? "refused" : "failed", code, rule].filter(Boolean).join(" ")
  return count === undefined ? result : `${result} (${count} times)`
}

/** Returns a record as one line: a line break in an argument or a name would begin a line that looks like a record. */
const lineOf = (entry: AuditLine.Entry, now: number): string => {
  const { actor, operation, seq, session, tier, time } = entry
  const where = session === undefined || session === "default" ? "" : ` [${session}]`
  const call = `${operation}${where}${argumentsOf(entry)}`
  const line = `${clockTime(time, now)} #${seq} ${who(actor).padEnd(16)} ${tier.padEnd(8)} ${call.padEnd(24)} ${resultOf(entry)}`
  return `${Sanitise.line(line)}\n`
}

const filterOf = ({ flags, values }: Arguments.Words, since: number) => {
  const [actor, operation, session] = [values.get("actor"), values.get("operation"), values.get("session")]
  return (entry: AuditLine.Entry): boolean =>
    (actor === undefined || [entry.actor.kind, entry.actor.name, who(entry.actor)].includes(actor)) &&
    (operation === undefined || entry.operation === operation.replaceAll(" ", ".")) &&
    (session === undefined || entry.session === session) &&
    (!flags.has("refused") || entry.refused === true) &&
    Date.parse(entry.time) >= since
}

const counted = (count: number) => `${count.toLocaleString("en")} record${count === 1 ? "" : "s"}`

const verify = (directory: string): Answer => {
  const { broken, first, lost, records, unfinished } = AuditReader.verify(directory)
  const data = {
    records,
    ...(first === undefined ? {} : { first }),
    intact: broken === undefined,
    ...(broken === undefined ? {} : { broken_at: broken }),
    ...(lost === 0 ? {} : { lost }),
    ...(unfinished === 0 ? {} : { unfinished_bytes: unfinished })
  }
  if (broken !== undefined) {
    const message = `the audit log is broken at ${broken.file}:${broken.line}: ${broken.problem}`
    const hints = [Hint.remedy("the records before this line are unchanged; compare the file with a backup")]
    return { text: "", data, problem: { code: "AUDIT_BROKEN", exit: 1, message, hints } }
  }
  const since = first === undefined ? "" : ` from ${first.slice(0, 10)}`
  const missing = lost === 0 ? "" : `; ${counted(lost)} could not be written`
  const rest = unfinished === 0 ? "" : `; the last line is incomplete (${unfinished} bytes)`
  return { text: `${counted(records)}${since}, chain intact${missing}${rest}\n`, data }
}

/** Runs `log --audit`. */
export const audit: Command = Effect.fnUntraced(function* (argv, place) {
  const given = yield* Effect.fromResult(Arguments.read("log", argv))
  const count = Number(given.values.get("lines") ?? 50)
  if (!Number.isInteger(count) || count < 0 || count > 100_000) {
    return yield* usage("--lines: write a whole number from 0 to 100000")
  }
  const only = ["follow", "clear"].find((flag) => given.flags.has(flag))
  if (only !== undefined) return yield* usage(`--${only} cannot be used with --audit`)
  const { audit: directory } = yield* RuntimeDirectory.make(place.runtimeDirectory)
  if (given.flags.has("verify")) return verify(directory)
  const now = yield* Clock.currentTimeMillis
  const since = given.values.get("since")
  const from = since === undefined ? 0 : yield* Effect.fromResult(timeOf(since, now))
  const records = AuditReader.newest(directory, count, filterOf(given, from))
  return { text: records.map((entry) => lineOf(entry, now)).join(""), data: { audit: directory, records } }
})
