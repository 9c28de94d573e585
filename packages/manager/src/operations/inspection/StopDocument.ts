/**
 * The handler of `report`: one stop as a Markdown document, from what was read at it.
 */
import { type Caller, Hint, Operation, Operations, type Stop, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileWriter from "../../model/FileWriter.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Session } from "../../session/Session.ts"
import type { Reply } from "../Reply.ts"
import * as PastStops from "./PastStops.ts"
import * as StopReport from "../stops/StopReport.ts"

/** Text as inline code. A line break becomes a space. */
const code = (text: string): string => {
  const line = text.replaceAll(/[\r\n]+/g, " ")
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : ""
  return `${fence}${pad}${line}${pad}${fence}`
}

/** The same in a cell of a table. */
const cell = (text: string): string => (text === "" ? "" : code(text).replaceAll("|", "\\|"))

/** Text as a block of code that it cannot end. */
const block = (content: string, language = ""): ReadonlyArray<string> => {
  const longest = Math.max(2, ...(content.match(/^`{3,}/gm) ?? []).map((run) => run.length))
  const fence = "`".repeat(longest + 1)
  return [`${fence}${language}`, content.replace(/\n$/, ""), fence]
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines]

const languages: { readonly [extension: string]: string } = {
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  go: "go",
  js: "js",
  ts: "ts",
  m: "objc",
  py: "python",
  rs: "rust",
  swift: "swift"
}

const languageOf = (file: string | undefined) => languages[file?.split(".").at(-1)?.toLowerCase() ?? ""] ?? ""

const sourceOf = ({ location, source }: Stop.StopReport): ReadonlyArray<string> => {
  if (source === undefined) return []
  const { first, lines } = source
  const width = String(first + lines.length - 1).length
  const numbered = lines.map((line, index) => {
    const number = first + index
    return `${number === location?.line ? ">" : " "} ${String(number).padStart(width)}  ${line}`.trimEnd()
  })
  return block(numbered.join("\n"), languageOf(location?.file))
}

const rowsOf = (variable: Variable.Variable, level: number): ReadonlyArray<string> => {
  const name = `${"&nbsp;&nbsp;".repeat(level)}${cell(variable.name)}`
  const row = `| ${name} | ${cell(variable.value)} | ${cell(variable.type ?? "")} | ${cell(variable.old ?? "")} |`
  return [row, ...(variable.children ?? []).flatMap((child) => rowsOf(child, level + 1))]
}

const valuesOf = ({ evaluations = [], locals = [] }: Stop.StopReport): ReadonlyArray<string> => {
  const read = evaluations.map(({ error, expression, type, value }): Variable.Variable => ({
    name: expression,
    value: value ?? error ?? "",
    ...(type === undefined ? {} : { type })
  }))
  const rows = [...locals, ...read].flatMap((variable) => rowsOf(variable, 0))
  return rows.length === 0 ? [] : ["| name | value | type | was |", "| --- | --- | --- | --- |", ...rows]
}

const placeOf = ({ address, file, function: name, line, module }: NonNullable<Stop.StopReport["location"]>): string => {
  const where = file === undefined ? [module, address].filter((part) => part !== undefined).join(" ") : file
  const at = line === undefined ? where : `${where}:${line}`
  return [...(name === undefined ? [] : [code(name)]), ...(at === "" ? [] : [code(at)])].join(" ")
}

const stackOf = ({ frames = [], hidden_frames: hidden = 0 }: Stop.StopReport): ReadonlyArray<string> => [
  ...frames.map((frame) => `${frame.index}. ${placeOf(frame)}`),
  ...(hidden === 0 ? [] : ["", `${hidden === 1 ? "1 runtime frame is" : `${hidden} runtime frames are`} left out.`])
]

/** One command, who gave it, and the stop that it caused, if it caused one. */
interface Command {
  readonly seq: number
  readonly stop: number
  readonly command: string
  readonly actor: Caller.Identity
  readonly caused: boolean
}

/** Most commands in a document. */
const maxCommands = 20

const isResume = (tag: string) =>
  Operations.isTag(tag) && !["none", "wait"].includes(Operation.meta(Operations.byTag(tag)).execution)

/** Returns what callers did until a stop, as far as the session has it, without reads. */
const commandsUntil = ({ log: { journal }, past }: Session, { seq, stop }: PastStop): ReadonlyArray<Command> => {
  const caused = past.all
    .filter((one) => one.stop <= stop)
    .flatMap(({ cause, ...one }) =>
      cause === undefined ? [] : [{ seq: one.seq, stop: one.stop, ...cause, caused: true }]
    )
  const acted = journal.since(1).entries.flatMap((entry): ReadonlyArray<Command> => {
    const { actor, event } = entry
    if (event._tag !== "Acted" || actor === undefined || entry.seq > seq) return []
    if (!event.ok || event.tier === "observe" || isResume(event.operation)) return []
    return [{ seq: entry.seq, stop: entry.stop, command: event.command, actor, caused: false }]
  })
  return [...caused, ...acted].toSorted((a, b) => a.seq - b.seq).slice(-maxCommands)
}

const commandLines = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commands.map(
    ({ actor, caused, command, stop }) =>
      `- ${code(command)} by ${actor.id}${caused ? `: stop #${stop}` : stop === 0 ? "" : ` at stop #${stop}`}`
  )

/** Reasons to which the debugger's description adds something. */
const described: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>([
  "exception",
  "signal",
  "sanitizer",
  "panic",
  "assert",
  "other"
])

const titleOf = ({ breakpoints = [], description, reason = "other", signal }: Stop.StopReport): string => {
  const ids = breakpoints.length === 0 ? "" : ` ${breakpoints.join(", ")}`
  const words = description === undefined || !described.has(reason) ? "" : `: ${code(description)}`
  return `${reason}${ids}${words}${signal === undefined ? "" : ` (${signal})`}`
}

const factsOf = ({ launch, name }: Session, past: PastStop, data: Stop.StopReport): ReadonlyArray<string> => {
  const { cause } = past
  const { exception, location, stopped_in: below, thread } = data
  const counts = past.stopped.breakpoints.map((id, index) => `${id} (hit ${past.hitCounts[index] ?? 0})`)
  return [
    `- Session: ${code(name)}, program ${code(launch.program)}`,
    `- Time: ${new Date(past.time).toISOString()}`,
    ...(location === undefined ? [] : [`- Place: ${placeOf(location)}`]),
    ...(below === undefined ? [] : [`- Stopped in: ${placeOf(below)}`]),
    ...(thread === undefined
      ? []
      : [`- Thread: ${thread.number ?? thread.id}${thread.name === undefined ? "" : ` ${code(thread.name)}`}`]),
    ...(counts.length === 0 ? [] : [`- Breakpoints: ${counts.join(", ")}`]),
    ...(exception === undefined
      ? []
      : [
          `- Exception: ${code(`${exception.type ?? exception.id}${exception.message === undefined ? "" : `: ${exception.message}`}`)}`
        ]),
    ...(cause === undefined ? [] : [`- Caused by: ${code(cause.command)} of ${cause.actor.id}`]),
    ...(past.changed.length === 0
      ? []
      : [`- Changed: ${past.changed.map((one) => code(`${one.name}: ${one.old} -> ${one.new}`)).join(", ")}`])
  ]
}

/** Returns a stop as a Markdown document. */
const documentOf = (session: Session, past: PastStop): string => {
  const data = PastStops.contextOf(session, past, { sections: [] })
  const output = data.recent_output.map(({ text }) => text).join("")
  const unread = data.not_read ?? []
  return [
    `# Stop #${past.stop}: ${titleOf(data)}`,
    "",
    ...factsOf(session, past, data),
    ...section("Source", sourceOf(data)),
    ...section("Values", valuesOf(data)),
    ...section("Stack", stackOf(data)),
    ...section("Output", output === "" ? [] : block(output)),
    ...section("Commands", commandLines(commandsUntil(session, past))),
    ...(unread.length === 0 ? [] : ["", `Not read at this stop: ${unread.map(code).join(", ")}.`]),
    ""
  ].join("\n")
}

/** Reads the current stop in full, if no report has done that. */
const readPresent = (session: Session, past: PastStop) =>
  past.isReadInFull ? Effect.void : Effect.ignore(StopReport.compose(session, { context: "full", lines: sourceLines }))

/** Source lines before and after the current one. */
const sourceLines = 5

/** Handles `report`. */
export const report = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"report">,
  machine: Policy.Machine
) {
  const { path } = machine
  const file = payload.out === undefined ? undefined : path.resolve(payload.directory ?? ".", payload.out)
  if (file !== undefined) yield* Policy.checkFiles(session.policy, [file], machine)
  const { state, stop } = session.log.snapshot
  const number = payload.stop === undefined ? stop : PastStops.numberOf(session, payload.stop)
  const past = yield* PastStops.find(session, number)
  if (state === "stopped" && number === stop) yield* readPresent(session, past)
  // A file has no surface that masks secrets by their shape.
  const markdown = session.secrets.inData(documentOf(session, past))
  if (file !== undefined) {
    const retry = Hint.again("report", { force: true }, "to replace it")
    yield* FileWriter.write(file, markdown, { force: payload.force, retry }, machine)
  }
  const data: Operations.Data<"report"> = { markdown, stop: number, ...(file === undefined ? {} : { file }) }
  const reply: Reply<Operations.Data<"report">> = { data, at: { ...session.log.snapshot, stop: number } }
  return reply
})
