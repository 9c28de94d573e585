/**
 * Values in another format, for `print --format`. Objects, arrays and containers are formatted by Python in LLDB, all other values by LLDB's
 * commands `frame variable` and `expression`.
 */
import { Symbols } from "@sigtrap/lldb"
import { RunsCode, type Backend, type Inspection } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { withoutCode } from "../../Failures.ts"
import * as ExpressionQueries from "../ExpressionQueries.ts"

/** LLDB's names of the formats. */
const formats: { readonly [format in Exclude<Inspection.Format, "raw">]: string } = {
  hex: "hex",
  decimal: "decimal",
  unsigned: "unsigned decimal",
  octal: "octal",
  binary: "binary",
  character: "character",
  float: "float",
  address: "address",
  string: "c-string",
  bytes: "bytes"
}

/** Matches characters that would run another command: a backtick, a newline. */
const unfit = /[\u0000-\u001f\u007f`]/

/** Matches a variable and a path from it, which `frame variable` reads. */
const path = /^[A-Za-z_][\w.>[\]-]*$/

/** Joins the lines of a value. */
const trimmed = (value: string) => value.trim().replaceAll(/\s*\n\s*/g, " ")

/** Makes the request that formats the value of an expression. `command` runs a command in a frame, and fails if the command fails. */
export const make = (
  command: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
): Inspection.Inspection["formatted"] =>
  Effect.fnUntraced(function* (expression, frame, format) {
    if (unfit.test(expression)) {
      return yield* new Errors.Unsupported({
        what: "a format for an expression with control characters or a backtick",
        by: "LLDB",
        remedies: [Hint.call("context", {})]
      })
    }
    const composed =
      format === "raw" ? undefined : yield* ExpressionQueries.formatted(command, expression, frame, format)
    if (composed !== undefined) return composed
    const how = format === "raw" ? "-R" : `-f "${formats[format]}"`
    const runsCode = yield* RunsCode.RunsCode
    const tried = (line: string, at: number) =>
      command(line, at).pipe(Effect.catchTag("AdapterError", () => Effect.succeed("")))
    const evaluated = Effect.flatMap(ExpressionQueries.compiled(tried, expression, frame), (found) => {
      if (found?.kind === "value") {
        const detail = "LLDB cannot compile this expression, so it has no other format"
        return Effect.fail(new Errors.AdapterError({ command: "expression", detail }))
      }
      const [text, callers] = found?.kind === "expression" ? [found.expression, found.callers] : [expression, 0]
      const line = `expression ${runsCode === true ? "" : "--allow-jit false "}${how} -- ${text}`
      return command(line, frame + callers).pipe(
        Effect.mapError((error) => (runsCode === true ? error : withoutCode(error, runsCode)))
      )
    })
    const text = path.test(expression)
      ? yield* command(`frame variable ${how} -- ${expression}`, frame).pipe(
          Effect.catchTag("AdapterError", () => evaluated)
        )
      : yield* evaluated
    const found = Symbols.result(text)
    return found === undefined ? { value: trimmed(text.trim()) } : { type: found.type, value: trimmed(found.value) }
  })
