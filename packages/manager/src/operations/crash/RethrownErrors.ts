/**
 * Stops at an error of JavaScript after the frames that threw it have ended. sigtrap's own file stops the program then, in a function
 * that has the error as its variable `error`. js-debug shows an error with its stack.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import type { StopPlace } from "./StopFindings.ts"

/** The parts of a frame that this module reads. */
interface Place {
  readonly function: string
  readonly file?: string
}

/** True if a frame is one of sigtrap's own file, which threw the error again. */
export const isReport = ({ file = "", function: name }: Place): boolean =>
  /^the(?:Program|Test)HasFailed$/.test(name) && /[\\/]sigtrap[\\/].*\.[cm]js$/.test(file)

/** True if a file is the one of the frame in which an error was thrown again. */
export const isOfReport = (report: Place, frame: Place): boolean => frame.file === report.file

/** A line of a stack of V8, in a file: `at f [as g] (/src/a.js:3:9)`, `at async file:///src/a.mjs:3:9`. */
const stackLine = /^ {4}at (?:async )?(?:(\S[^([]*?)(?: \[as [^\]]+\])? \()?(?:file:\/\/)?(\/[^():]+):(\d+):\d+\)?$/

/** Returns where an error was created, as the end of a sentence; nothing if its message has several lines. */
const placeIn = (text: string): string => {
  const [, ...lines] = text.split(/\n|\\n/)
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("    at ")) return ""
    const [, name = "<anonymous>", file, number] = stackLine.exec(line) ?? []
    const at = index === 0 ? "in" : "below"
    if (file !== undefined) return `created ${at} ${name} ${file.slice(file.lastIndexOf("/") + 1)}:${number}, `
  }
  return ""
}

/** Returns what is known of the place of the error. */
export const fact = Effect.fnUntraced(
  function* (session: Session, { top }: StopPlace) {
    const locals = yield* (yield* session.connection).locals(top.handle)
    const error = locals.find(({ name }) => name === "error")?.value ?? ""
    const text = `${placeIn(error)}reported after the frames that threw it had ended`
    const found: Explanation.Fact = { kind: "exception", text: session.secrets.inText(text), by: "debugger" }
    return found
  },
  Effect.orElseSucceed((): Explanation.Fact => ({
    kind: "exception",
    text: "reported after the frames that threw it had ended",
    by: "debugger"
  }))
)
