/**
 * Ways to work that people can choose by name: find a crash, explain a hang, follow a value, debug a simulator app. Each is
 * a short plan which names the tools that the client has.
 */
import { Effect, Layer, Schema } from "effect"
import { McpServer } from "effect/ai"
import { Operations } from "@sigtrap/protocol"
import * as Catalogue from "../tools/Catalogue.ts"
import type { Completions } from "./Completions.ts"
import type * as Profile from "../tools/Profile.ts"
import * as ResultText from "../results/ResultText.ts"

const field = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(field(description))

/** Registers the prompts. */
export const layer = (profile: Profile.Name, complete: Completions) => {
  /** How a plan names an operation: as the client calls it. */
  const tool = (tag: Operations.Tag | "sim.debug"): string => {
    const operation = Operations.find(tag)
    if (operation === undefined) return tag
    const { before, tool: name } = Catalogue.route(profile, operation)
    return before.length === 0 ? name : `${name} (${before.join(", ")})`
  }
  const plan = (...lines: ReadonlyArray<string>) => Effect.succeed(lines.join("\n"))
  const quoted = (text: string | undefined, otherwise: string) =>
    text === undefined ? otherwise : `"${ResultText.line(text)}"`

  return Layer.mergeAll(
    McpServer.prompt({
      name: "find_crash",
      title: "Find a crash",
      description: "Run a program until it crashes and say why",
      parameters: {
        program: field("Program that crashes, built with -g"),
        arguments: optional("Its arguments, as they are typed")
      },
      completion: { program: complete.programs },
      content: ({ arguments: args, program }) =>
        plan(
          `Find out why ${quoted(program, "the program")} crashes. Its arguments: ${quoted(args, "none")}.`,
          `1. ${tool("start")} the program without breakpoints. It stops where it crashes; when it exits, say so and ask for input that makes it crash.`,
          `2. Read the reason and the source of the stop, then ${tool("backtrace")}. Go to the innermost frame that is the user's code.`,
          `3. ${tool("locals")} and ${tool("print")} there: which pointer, index or value is wrong?`,
          `4. Find where it became wrong: a breakpoint earlier (${tool("break")}), ${tool("restart")}, ${tool("next")}; or ${tool("watch")} what is overwritten.`,
          `5. ${tool("stop")}. Say the cause with file and line, the values that prove it, and the smallest change that mends it.`
        )
    }),
    McpServer.prompt({
      name: "explain_hang",
      title: "Explain a hang",
      description: "Take hold of a process that hangs and say what waits for what",
      parameters: { process: field("Process id, or the exact name of the executable") },
      content: ({ process }) =>
        plan(
          `Find out why the process ${quoted(process, "")} hangs.`,
          `1. ${tool("attach")} to it with pause, by pid or name. It is let go unharmed in the end.`,
          `2. ${tool("backtrace")} with all_threads: which threads wait, in what, and for whom? Who holds the lock that they wait for?`,
          `3. If a thread runs rather than waits, ${tool("pause")} a few times with ${tool("continue")} between and compare its stacks: a loop shows the same frames with other values.`,
          `4. ${tool("locals")} in the frames that matter.`,
          `5. ${tool("detach")}. Say which thread waits for which, with file and line, and how the hang comes about.`
        )
    }),
    McpServer.prompt({
      name: "follow_value",
      title: "Follow a value",
      description: "See how a value comes about and where it goes wrong",
      parameters: {
        program: field("Program, built with -g"),
        expression: field("Variable or expression to follow"),
        where: optional("Where to begin: FILE:LINE or a function")
      },
      completion: { program: complete.programs, where: complete.functions },
      content: ({ expression, program, where }) =>
        plan(
          `Find out how ${quoted(expression, "the value")} comes about in ${quoted(program, "the program")}.`,
          `1. ${tool("start")} the program with a breakpoint at ${quoted(where, "the function that owns the value")}.`,
          `2. ${tool("print")} the expression, then ${tool("watch")} it: every write stops and says the old value and the new one. For an expression that has no address use ${tool("logpoint")}s at the lines that assign it.`,
          `3. ${tool("continue")} from write to write; note file, line and value of each.`,
          `4. Stop at the first write that is wrong: ${tool("backtrace")} and ${tool("locals")} say where its inputs come from.`,
          `5. ${tool("stop")}. Give the list of writes, and the first that is wrong.`
        )
    }),
    McpServer.prompt({
      name: "debug_simulator_app",
      title: "Debug my simulator app",
      description: "Launch an app in a simulator under the debugger and stop where it matters",
      parameters: {
        app: field("Bundle id, or the .app folder"),
        simulator: optional("Name or UDID of the simulator; the booted one when left out"),
        problem: optional("What goes wrong")
      },
      completion: { simulator: complete.devices },
      content: ({ app, problem, simulator }) =>
        plan(
          `Debug the app ${quoted(app, "")} in ${quoted(simulator, "the booted simulator")}. The problem: ${quoted(problem, "ask the user")}.`,
          `1. Find the place in the source where the problem shows, and give it to ${tool("sim.debug")} as a breakpoint; one call boots, installs, launches and stops there.`,
          `2. When something must be tapped first, ask the user to do it, then ${tool("wait")}. While the app is stopped it takes no taps: ${tool("continue")} before.`,
          `3. ${tool("locals")}, ${tool("print")}, ${tool("backtrace")} at the stop; ${tool("raw")} "po EXPRESSION" describes objects.`,
          `4. ${tool("stop")} ends the app. Say the cause with file and line, and the smallest change that mends it.`
        )
    })
  )
}
