/**
 * Questions about calls as text: what the caller wants to do, in one sentence with its arguments, and what repository files add.
 * Also the answers of `ask`.
 */
import { Operation, type Answer, Effects, Operations, type Question, ShellWords } from "@sigtrap/protocol"
import type * as ScriptLines from "@sigtrap/protocol/grammar/ScriptLines"
import * as Predicate from "effect/Predicate"
import * as Doc from "./Doc.ts"
import * as Events from "./Events.ts"
import * as Sanitise from "./Sanitise.ts"

/** The fields of a call. */
type Fields = { readonly [field: string]: unknown }

/** What an answer that holds for longer allows, by effect. */
export const kinds: { readonly [effect in Effects.Name]: string } = {
  observe: "reading sessions",
  "read-file": "reading files of the project",
  control: "running and stopping programs",
  eval: "evaluating expressions",
  "write-memory": "changes of programs",
  "write-file": "written files",
  launch: "started and attached programs",
  raw: "debugger commands, adapter options and build commands",
  owner: "administration of the daemon"
}

/** Most characters of a value. */
const longest = 600

const shown = (value: unknown): string => {
  const text = Predicate.isString(value) ? value : (JSON.stringify(value) ?? "")
  const whole = Sanitise.line(text)
  return whole.length > longest ? `${whole.slice(0, longest)}… (${whole.length - longest} more characters)` : whole
}

const quoted = (value: unknown): string => `\`${shown(value)}\``

const debuggerName = (adapter: string | undefined): string =>
  adapter === undefined ? "debugger" : /lldb/i.test(adapter) ? "LLDB" : /gdb/i.test(adapter) ? "GDB" : "debugger"

const textOf = (value: unknown): string => (Predicate.isString(value) ? value : (JSON.stringify(value) ?? ""))

/** Returns the program and its arguments as a command line. */
const programLine = (fields: Fields): string => {
  const args = Array.isArray(fields["args"]) ? fields["args"].map(textOf) : []
  return shown(ShellWords.join([textOf(fields["program"]), ...args]))
}

/** Returns the question about an operation whose own effect is asked for. */
const question = (operation: Operation.Any, fields: Fields, adapter: string | undefined): string => {
  const { summary } = Operation.meta(operation)
  switch (operation._tag) {
    case "raw":
      return `Run the ${debuggerName(adapter)} command ${quoted(fields["command"])}?`
    case "start":
      return fields["program"] === undefined
        ? `Start the program of ${shown(fields["launch_json"] ?? ".vscode/launch.json")}?`
        : `Start ${programLine(fields)}?`
    case "restart":
      return `Start the program again with the arguments ${quoted(fields["args"])}?`
    case "attach":
      return `Attach to process ${shown(fields["pid"] ?? fields["name"])}?`
    case "core":
      return `Open the core file ${shown(fields["file"])}?`
    case "connect":
      return `Connect to the debug server ${shown(fields["address"])}?`
    case "set":
      return `Set ${quoted(fields["target"])} to ${quoted(fields["value"])}?`
    case "memory.write":
      return `Write ${quoted(fields["hex"] ?? fields["values"] ?? fields["file"])} to memory at ${quoted(fields["address"])}?`
    case "breakpoint.save":
    case "sim.screenshot":
      return `Write the file ${shown(fields["file"])}?`
    default:
      return `${summary}: ${shown(fields)}?`
  }
}

/** The words for a field whose effect is asked for. */
const titles: { readonly [field: string]: string } = {
  cmd: "Run this debugger command at a stop",
  init_cmd: "Run this debugger command before the program is loaded",
  pre_run_cmd: "Run this debugger command before the program runs",
  stop_cmd: "Run this debugger command at each stop",
  adapter_opt: "Pass this option to the debug adapter, which can run commands",
  build: "Run this build command",
  runner: "Run this test runner",
  launch_json: "Start this program",
  program: "Start this program",
  adapter: "Start this debug adapter",
  replace: "Replace the session of that name",
  report: "Write the report to this file",
  junit: "Write the runs as JUnit XML to this file",
  stdout: "Write output to this file",
  stderr: "Write errors to this file"
}

const part = ({ effect, field, source, value }: Question.Missing): string => {
  const title = titles[field ?? ""] ?? `Allow ${field ?? "this"} (${kinds[effect]})`
  const what = value === undefined || value === "true" ? "." : `: ${quoted(value)}`
  return `${title}${what}${source === undefined ? "" : `, from ${shown(source)}`}`
}

/** Returns the sentences that say what the missing effects of one kind do. */
const ofCall = (
  operation: Operation.Any,
  fields: Fields,
  missing: ReadonlyArray<Question.Missing>,
  adapter: string | undefined
): ReadonlyArray<string> => {
  const { effect } = Operation.meta(operation)
  const lost = missing.flatMap(({ destroys }) => (destroys === undefined ? [] : [destroys]))
  // The values of the operation's own effect are in its question, unless they come from a file.
  const own = missing.some((use) => use.effect === effect && use.source === undefined && use.destroys === undefined)
  const others = missing.filter(
    (use) => use.destroys === undefined && (use.source !== undefined || (!own && use.effect !== effect))
  )
  // The effect of an operation that this one begins, such as the start of `run`, is that of its fields.
  const named = others.filter(({ field }) => field !== undefined)
  const parts = named.length === 0 ? others : named
  return [
    ...(own || (parts.length === 0 && lost.length === 0) ? [question(operation, fields, adapter)] : []),
    ...parts.map(part),
    ...lost.map((what) => `${own ? "This ends" : `${Operation.meta(operation).summary}: ends`} ${shown(what)}.`)
  ]
}

/** A call that asks: what it does, with which arguments, and what it lacks. */
export interface Asked {
  readonly operation: Operation.Any
  readonly fields: Fields
  readonly missing: ReadonlyArray<Question.Missing>
  /** The debugger of its session. */
  readonly adapter?: string | undefined
}

/**
 * Returns the sentences that say what a call does for which it lacks an effect, with its arguments. `commands` are those of a
 * script: each is described as if it were called alone; without them its values are named.
 */
export const sentences = (
  { adapter, fields, missing, operation }: Asked,
  commands: ReadonlyArray<ScriptLines.ScriptStep> = []
): ReadonlyArray<string> => {
  const calls = [...new Set(missing.flatMap(({ call }) => (call === undefined ? [] : [call])))]
  const all = [
    ...calls.flatMap((index) => {
      const command = commands[index]
      const uses = missing.filter(({ call }) => call === index)
      return command?._tag === "Call"
        ? ofCall(command.operation, command.input, uses, adapter)
        : uses.flatMap((use) => (use.value === undefined ? [] : [part(use)]))
    }),
    ...(missing.some(({ call }) => call === undefined) ? ofCall(operation, fields, missing, adapter) : [])
  ]
  return all.length === 0 ? ofCall(operation, fields, missing, adapter) : all
}

/** `10:31:02`. */
const clock = (time: number): string => Events.clock(time).slice(0, 8)

const effectsOf = ({ missing }: Question.Question): string =>
  [...new Set(missing.map(({ effect }) => `${Effects.tierOf(effect)} (effect ${effect})`))].join(", ")

const text = (question: Question.Question): string => {
  const operation = Operations.find(question.operation)
  const { adapter, input: fields, missing } = question
  return operation === undefined
    ? question.operation
    : sentences({ operation, fields, missing, ...(adapter === undefined ? {} : { adapter }) }).join(" ")
}

/** Renders the answer of `ask list`: each question with its number, who asks, what for, and until when it can be answered. */
export const list = ({ data: { requests } }: Answer.Answer<Operations.Data<"ask.list">>): Doc.Doc =>
  requests.length === 0
    ? Doc.lines(Doc.line(Doc.span("no call waits for consent", "dim")))
    : Doc.lines(
        ...requests.flatMap((question) => [
          Doc.line(
            [
              String(question.id),
              question.actor.id,
              `needs ${effectsOf(question)}`,
              ...(question.session === undefined ? [] : [question.session]),
              `asked ${clock(question.created)}, denied at ${clock(question.expires)} UTC`
            ].join("  ")
          ),
          Doc.line(`    ${text(question)}`)
        ])
      )

const allowed = ({ actor, missing, session }: Question.Question, answer: Question.Verdict): string => {
  const what = kinds[missing[0]?.effect ?? "owner"]
  return answer === "allow"
    ? `allowed once: ${actor.id}`
    : `allowed until ${answer === "session" ? `${session ?? "the session"} ends` : `${actor.id} leaves`}: ${what} by ${actor.id}`
}

/** Renders the answer of `ask answer`. */
export const answered = ({ data: { answer, request } }: Answer.Answer<Operations.Data<"ask.answer">>): Doc.Doc =>
  Doc.lines(
    Doc.line(
      answer === "deny"
        ? `denied request ${request.id} of ${request.actor.id}`
        : `${allowed(request, answer)} · ${text(request)}`
    )
  )
