/**
 * The dialect of the LLDB inside lldb-dap. A backtick before a line makes it a command.
 */
import { Command, Instruction } from "@sigtrap/lldb"
import { Requests } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Dialect } from "../Dialect.ts"
import * as BreakpointReasons from "./breakpoints/BreakpointReasons.ts"
import * as Breakpoints from "./breakpoints/Breakpoints.ts"
import * as CallFrames from "./frames/CallFrames.ts"
import * as ChildExpressions from "./values/ChildExpressions.ts"
import * as ChildPages from "./values/ChildPages.ts"
import * as Commands from "./Commands.ts"
import * as BeforeResume from "./resume/BeforeResume.ts"
import * as DueBreakpoints from "./breakpoints/DueBreakpoints.ts"
import * as UnknownNames from "./values/UnknownNames.ts"
import * as ErrorOutput from "./ErrorOutput.ts"
import * as ExpressionQueries from "./ExpressionQueries.ts"
import * as IndirectFunctions from "./breakpoints/IndirectFunctions.ts"
import * as Inspection from "./Inspection.ts"
import * as PathRecorder from "./PathRecorder.ts"
import * as ProgramEnd from "./ProgramEnd.ts"
import * as Prologues from "./breakpoints/Prologues.ts"
import * as Reexecution from "./Reexecution.ts"
import * as Resume from "./resume/Resume.ts"
import * as SelectedFrame from "./frames/SelectedFrame.ts"
import * as Stacks from "./frames/Stacks.ts"
import * as References from "./values/References.ts"
import * as ReturnedValue from "./values/ReturnedValue.ts"
import * as StepEnds from "./resume/StepEnds.ts"
import * as Tracer from "./Tracer.ts"
import * as UnreadableMemory from "./values/UnreadableMemory.ts"
import * as UnreliableValues from "./values/UnreliableValues.ts"

/** Timeout of the question how the program ended, in milliseconds. After it the exit code is reported as it is. */
const historyTimeout = 1000

/** What differs among versions. */
export interface Options {
  /** The adapter unwinds the whole stack before it returns a page. LLDB's command line does not. */
  readonly slowStacks: boolean
  /** `image dump symfile` does not crash the adapter. */
  readonly symfileDumpIsSafe: boolean
}

/** How long a resume waits for each question before it, in milliseconds. The resume itself notices an adapter that does not answer. */
const beforeResume = 1000

/** Makes the dialect of a version. */
export const make = ({ slowStacks, symfileDumpIsSafe }: Options): Dialect => ({
  expression: (command) => `\`${command}`,
  interactive: Command.interactive,
  select: Resume.selectFrame,
  open: (connection) => {
    const { ids, lastStop, listener, major, modules, placed, text, watchIds } = connection
    const { command, formatted, restored } = Commands.make(connection)
    // A command that fails, such as an unknown one, has an empty answer.
    const commandText = (line: string, frame: number) =>
      command(line, frame).pipe(Effect.catchTag("AdapterError", () => Effect.succeed("")))
    const pages = ChildPages.make((line, frame) =>
      command(line, frame).pipe(Effect.catchTag("AdapterError", ({ detail }) => Effect.succeed(detail)))
    )
    const lists = Breakpoints.make({ command: text, ids, watchIds, major })
    const prologues = Prologues.make({
      command: text,
      formatted,
      functions: lists.code,
      placed,
      refresh: lists.refresh
    })
    const calls = CallFrames.make((line) => text(line))
    return {
      breakpoints: {
        ...lists,
        unprepared: IndirectFunctions.reason,
        whyNoLine: (file, line) => BreakpointReasons.whyNoLine({ command: text, major }, file, line)
      },
      prologues,
      answers: Inspection.make({
        major,
        dumps: symfileDumpIsSafe,
        commandText: (line) => text(line),
        command,
        formatted,
        modules,
        calls
      }),
      instruction: (frame) =>
        Effect.map(text(Instruction.here, frame), (answer) => {
          const found = Instruction.parse(answer)
          return found === undefined ? undefined : `${found.address} ${found.text}`
        }),
      returned: (frame) => ReturnedValue.read(commandText, frame),
      reexecution: Reexecution.make({
        text: (line, frame) => (frame === undefined ? text(line) : commandText(line, frame)),
        watchIds,
        major
      }),
      ...DueBreakpoints.make({ text: (line) => text(line), ids, major }),
      ...UnknownNames.make((line) => text(line), ids),
      stepEnds: StepEnds.make((line, frame) => text(line, frame, beforeResume)),
      beforeResume: BeforeResume.make({ text: (line) => text(line, undefined, beforeResume), lastStop }),
      ...(slowStacks ? { stack: Stacks.make(formatted, text, calls) } : {}),
      tracer: Tracer.make((line, millis) => text(line, undefined, millis), ids, listener),
      paths: PathRecorder.make((line, millis) => text(line, undefined, millis)),
      writeError: (line) => Effect.asVoid(command(ErrorOutput.writing(line))),
      restored,
      selectedBy: SelectedFrame.make((line) => Effect.andThen(restored, text(line))),
      evaluate: command,
      corrected: (values) =>
        UnreliableValues.make({ command, calls, addressOf: prologues.addressOf, lookUp: lists.lookUp, ...values }),
      readable: (values) => UnreadableMemory.make({ commandText: (line) => text(line), ...References.make(values) }),
      completed: References.completed,
      named: (values) =>
        ChildExpressions.make({
          commandText,
          readPage: pages.read,
          ...values
        }),
      find: (expression, frame) => ExpressionQueries.find(commandText, expression, frame),
      compiled: (expression, frame) => ExpressionQueries.compiled(commandText, expression, frame),
      ...Resume.make(connection)
    }
  },
  end: (client, exitCode) =>
    ProgramEnd.of(exitCode, (command) =>
      Effect.map(
        client.request(Requests.Evaluate, { expression: `\`${command}`, context: "repl" }, { timeout: historyTimeout }),
        ({ result }) => result
      )
    )
})
