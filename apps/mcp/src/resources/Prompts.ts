/**
 * The prompts that a user can select: find a crash, explain a hang, follow a value, debug a simulator app. Each is a short
 * plan with the names of the client's tools.
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
  /** Returns the name of an operation in a plan: the tool and the arguments that select the operation. */
  const tool = (tag: Operations.Tag): string => {
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
      description: "Run a program until it crashes and find the cause",
      parameters: {
        program: field("Program that crashes; build it with -g"),
        arguments: optional("Arguments of the program, as on a command line")
      },
      completion: { program: complete.programs },
      content: ({ arguments: args, program }) =>
        plan(
          `Find out why ${quoted(program, "the program")} crashes. Its arguments: ${quoted(args, "none")}.`,
          `1. ${tool("start")} the program without breakpoints. It stops at the crash. If it exits, tell the user and ask for input that makes it crash.`,
          `2. Read the reason and the source of the stop, then ${tool("backtrace")}. Select the innermost frame of the user's code.`,
          `3. ${tool("locals")} and ${tool("print")} there: which pointer, index or value is wrong?`,
          `4. Find where it became wrong: set an earlier breakpoint (${tool("break")}), ${tool("restart")}, ${tool("next")}; or ${tool("watch")} a value that is overwritten.`,
          `5. ${tool("stop")}. Report the cause with file and line, the values that prove it, and the smallest fix.`
        )
    }),
    McpServer.prompt({
      name: "explain_hang",
      title: "Explain a hang",
      description: "Attach to a process that hangs and find which thread waits for what",
      parameters: { process: field("Process id, or the exact name of the executable") },
      content: ({ process }) =>
        plan(
          `Find out why the process ${quoted(process, "")} hangs.`,
          `1. ${tool("attach")} to it with pause, by pid or name. Detaching at the end leaves it running.`,
          `2. ${tool("backtrace")} with all_threads: which threads wait, in which function, and for what? Which thread holds the lock?`,
          `3. If a thread runs instead of waiting, alternate ${tool("continue")} and ${tool("pause")} a few times and compare its stacks: a loop has the same frames with other values.`,
          `4. ${tool("locals")} in the relevant frames.`,
          `5. ${tool("detach")}. Report which thread waits for which, with file and line, and the cause of the hang.`
        )
    }),
    McpServer.prompt({
      name: "follow_value",
      title: "Follow a value",
      description: "Find where a value is written and where it becomes wrong",
      parameters: {
        program: field("Program; build it with -g"),
        expression: field("Variable or expression to follow"),
        where: optional("First breakpoint: FILE:LINE or a function")
      },
      completion: { program: complete.programs, where: complete.functions },
      content: ({ expression, program, where }) =>
        plan(
          `Find out where ${quoted(expression, "the value")} becomes wrong in ${quoted(program, "the program")}.`,
          `1. ${tool("start")} the program with a breakpoint at ${quoted(where, "the function that owns the value")}.`,
          `2. ${tool("print")} the expression, then ${tool("watch")} it: each write stops and shows the old and the new value. If the expression has no address, set a ${tool("logpoint")} at each line that assigns it.`,
          `3. ${tool("continue")} from write to write; note file, line and value of each.`,
          `4. Stop at the first write that is wrong: ${tool("backtrace")} and ${tool("locals")} show where its inputs come from.`,
          `5. ${tool("stop")}. Report all writes and the first wrong one.`
        )
    }),
    McpServer.prompt({
      name: "debug_simulator_app",
      title: "Debug my simulator app",
      description: "Launch an app in a simulator under the debugger and stop at the problem",
      parameters: {
        app: field("Bundle id, or the .app folder"),
        simulator: optional("Name or UDID of the simulator; default: the booted one"),
        problem: optional("Description of the problem")
      },
      completion: { simulator: complete.devices },
      content: ({ app, problem, simulator }) =>
        plan(
          `Debug the app ${quoted(app, "")} in ${quoted(simulator, "the booted simulator")}. The problem: ${quoted(problem, "ask the user")}.`,
          `1. Find the source line where the problem appears and call ${tool("sim.debug")} with it as a breakpoint. One call boots the simulator, installs and launches the app, and stops there.`,
          `2. If the user must tap something first, ask for it, then ${tool("wait")}. A stopped app ignores taps: ${tool("continue")} first.`,
          `3. ${tool("locals")}, ${tool("print")}, ${tool("backtrace")} at the stop; ${tool("raw")} "po EXPRESSION" describes objects.`,
          `4. ${tool("stop")} ends the app. Report the cause with file and line, and the smallest fix.`
        )
    })
  )
}
