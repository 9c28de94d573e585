/**
 * Texts in the place of an expression that are not expressions: a reference to a frame, a path from a reference, and the
 * notations of GDB for arrays and for earlier values.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { isReference } from "../../session/values/References.ts"
import type { Session } from "../../session/Session.ts"

const failed = (expression: string, detail: string, ...remedies: Hint.Hints) =>
  Effect.fail(new Errors.EvaluationFailed({ expression, detail, remedies }))

/** Fails for a reference to a frame: with the frame's variables as the hint, or because the frame does not exist. */
const ofFrame = (session: Session, stop: number, written: string) =>
  Effect.flatMap(session.references.resolve(written, stop), ({ ref }) =>
    failed(written, "it is a frame, not a value", Hint.call("locals", { frame: ref }))
  )

/** Fails for a reference with more behind it: with the expression of the value as the hint. */
const ofReference = (session: Session, stop: number, written: string, name: string, rest: string) =>
  Effect.flatMap(session.references.resolve(name, stop), ({ expression, ref }) =>
    failed(
      written,
      "a reference is a whole expression; nothing can follow it",
      Hint.call("print", { expressions: [`${expression}${rest}`] }),
      Hint.call("expand", { target: ref })
    )
  )

/** Fails at a stop if a text is not an expression in any language, with what to write instead. */
export const check = (
  session: Session,
  stop: number,
  written: string
): Effect.Effect<void, Errors.EvaluationFailed | Errors.StaleReference> => {
  const text = written.trim()
  if (text === "") return failed(written, "it is empty", Hint.call("locals", {}))
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text))
    return failed(written, "it has a control character", Hint.call("locals", {}))
  if (isReference(text)) return Effect.void
  if (/^[@:]f\d+$/.test(text)) return ofFrame(session, stop, text)
  const [, name, rest = ""] = /^([@:][vf]\d+)(.+)$/s.exec(text) ?? []
  if (name !== undefined) return ofReference(session, stop, written, name, rest)
  const [, before = "", count = ""] = /^([^@'"]+)@(\d{1,6})$/.exec(text) ?? []
  if (before !== "") {
    // What GDB writes before @ is the first element.
    const [, pointer] = /^\*\s*(.+)$/s.exec(before) ?? []
    const expression = pointer ?? `&${before}`
    const elements = Math.min(Math.max(Number(count), 1), 1000)
    return failed(
      written,
      "elements are not written with @",
      Hint.call("print", { expressions: [expression], array: elements })
    )
  }
  return /^\${1,2}$|^\$\$\d+$/.test(text)
    ? failed(written, "earlier values have no such names", Hint.help("history"))
    : Effect.void
}
