/**
 * The forms in which a person allows effects of a call: what the agent wants to do, in one sentence with its arguments, and
 * what repository files add. Each effect has a form of its own, so that starting a program does not allow debugger commands.
 */
import { Option, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { type Effects, type Errors, Operation, ShellWords } from "@sigtrap/protocol"
import * as ResultText from "../results/ResultText.ts"
import * as ScriptInput from "../tools/ScriptInput.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import type { Form } from "./ClientInfo.ts"

/** An effect that a call lacks, as the daemon named it. */
export type Missing = Errors.TierRequired["missing"][number]

/** What a person can choose: this call only, or every call with this effect until the client leaves. */
export const choices = ["this once", "until the client leaves"] as const

/** One of the choices. */
export type Choice = (typeof choices)[number]

/** Returns what the person chose; none unless the form was accepted with a choice, which its schema requires. */
export const choiceOf = (answer: unknown): Option.Option<Choice> => {
  if (!Predicate.isReadonlyObject(answer) || answer["action"] !== "accept") return Option.none()
  const { content } = answer
  const allow = Predicate.isReadonlyObject(content) ? content["allow"] : undefined
  return Option.fromUndefinedOr(choices.find((choice) => choice === allow))
}

/** What the second choice allows, by effect. */
const kinds: { readonly [effect in Effects.Name]: string } = {
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

/** Most characters of a value in a form. */
const longest = 600

const shown = (value: unknown): string => {
  const text = Predicate.isString(value) ? value : (JSON.stringify(value) ?? "")
  const whole = ResultText.line(text)
  return whole.length > longest ? `${whole.slice(0, longest)}… (${whole.length - longest} more characters)` : whole
}

const quoted = (value: unknown): string => `\`${shown(value)}\``

const debuggerName = (adapter: string | undefined): string =>
  adapter === undefined ? "debugger" : /lldb/i.test(adapter) ? "LLDB" : /gdb/i.test(adapter) ? "GDB" : "debugger"

const textOf = (value: unknown): string => (Predicate.isString(value) ? value : (JSON.stringify(value) ?? ""))

/** Returns the program and its arguments as a command line. */
const programLine = (fields: Keywords): string => {
  const args = Array.isArray(fields["args"]) ? fields["args"].map(textOf) : []
  return shown(ShellWords.join([textOf(fields["program"]), ...args]))
}

/** Returns the question about an operation whose own effect is asked for. */
const question = (operation: Operation.Any, fields: Keywords, adapter: string | undefined): string => {
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
  stdout: "Write output to this file",
  stderr: "Write errors to this file"
}

const part = ({ effect, field, source, value }: Missing): string => {
  const title = titles[field ?? ""] ?? `Allow ${field ?? "this"} (${kinds[effect]})`
  return `${title}: ${quoted(value ?? "")}${source === undefined ? "" : `, from ${shown(source)}`}`
}

/** Returns the sentences that say what the missing effects of one kind do. */
const sentences = (
  operation: Operation.Any,
  fields: Keywords,
  missing: ReadonlyArray<Missing>,
  adapter: string | undefined
): ReadonlyArray<string> => {
  const { effect } = Operation.meta(operation)
  const lost = missing.flatMap(({ destroys }) => (destroys === undefined ? [] : [destroys]))
  // The values of the operation's own effect are in its question, unless they come from a file.
  const own = missing.some((use) => use.effect === effect && use.source === undefined && use.destroys === undefined)
  const parts = missing.filter(
    (use) => use.destroys === undefined && (use.source !== undefined || (!own && use.effect !== effect))
  )
  return [
    ...(own || (parts.length === 0 && lost.length === 0) ? [question(operation, fields, adapter)] : []),
    ...parts.map(part),
    ...lost.map((what) => `${own ? "This ends" : `${Operation.meta(operation).summary}: ends`} ${shown(what)}.`)
  ]
}

/** Returns the sentences for the commands of a script, each as if it were called alone. */
const scriptSentences = (
  operation: Operation.Any,
  fields: Keywords,
  missing: ReadonlyArray<Missing>,
  adapter: string | undefined
): ReadonlyArray<string> => {
  const calls = [...new Set(missing.flatMap(({ call }) => (call === undefined ? [] : [call])))]
  const commands = calls.length === 0 ? [] : ScriptInput.commandsIn(fields)
  const all = [
    ...calls.flatMap((index) => {
      const command = commands[index]
      const uses = missing.filter(({ call }) => call === index)
      return command?._tag === "Call"
        ? sentences(command.operation, command.input, uses, adapter)
        : uses.flatMap((use) => (use.value === undefined ? [] : [part(use)]))
    }),
    ...(missing.some(({ call }) => call === undefined) ? sentences(operation, fields, missing, adapter) : [])
  ]
  return all.length === 0 ? sentences(operation, fields, missing, adapter) : all
}

/** Returns the form that asks for the missing effects of one kind. */
export const make = (
  operation: Operation.Any,
  fields: Keywords,
  missing: readonly [Missing, ...ReadonlyArray<Missing>],
  adapter: string | undefined
): Form => {
  const kind = kinds[missing[0].effect]
  const isOnce = missing.some(({ destroys }) => destroys !== undefined)
  const scope = isOnce ? "" : ` "${choices[1]}" allows all ${kind} of this client.`
  return {
    message: `The agent asks: ${scriptSentences(operation, fields, missing, adapter).join(" ")}${scope}`,
    requestedSchema: {
      type: "object",
      properties: {
        // A default is not part of the form of revision 2025-06-18, and one that cannot be written is not sent.
        allow: new McpSchema.UntitledSingleSelectEnum({
          type: "string",
          title: "Allow",
          enum: isOnce ? [choices[0]] : [...choices]
        })
      },
      required: ["allow"]
    }
  }
}
