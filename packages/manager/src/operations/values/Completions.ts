/**
 * The handler of `complete`: the names that an expression or a location may continue with.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Selection from "../frames/Selection.ts"
import type { Session } from "../../session/Session.ts"
import { read } from "./Values.ts"

/** Maximum number of completions in one answer. */
const maxCompletions = 100

/** The last part of a path. */
const baseName = (file: string) => file.split(/[/\\]/).at(-1) ?? file

/** Returns the functions and files that begin with a text; after `FILE:` the lines of the file that have code. */
const places = Effect.fnUntraced(function* (session: Session, text: string) {
  const { inspection, lines: linesOf } = yield* session.connection
  const [, file, digits] = /^(.+?):(\d*)$/.exec(text) ?? []
  if (file !== undefined && !file.endsWith(":")) {
    const files = yield* inspection.files
    const path = files.find((one) => one === file || baseName(one) === baseName(file))
    if (path !== undefined) {
      const lines = [...new Set((yield* linesOf(path)).map(({ line }) => line))]
      return lines.map(String).flatMap((line) => (line.startsWith(digits ?? "") ? [`${file}:${line}`] : []))
    }
  }
  const files = yield* Effect.catchTag(inspection.files, "Unsupported", () => Effect.succeed([]))
  const names = files.map(baseName).filter((name) => text !== "" && name.startsWith(text))
  return [...new Set([...(yield* inspection.functionNames(text)), ...names.map((name) => `${name}:`)])]
})

/** True if the word that begins at the end of a text cannot be a name: another operand is before it. */
const followsOperand = (text: string): boolean => {
  const before = text.replace(/(?<![\w$])[A-Za-z_]\w*$/, "")
  return (
    /[\w$\]"']\s*$/.test(before) && !/(?:^|[^\w$])(?:sizeof|not|and|or|in|is|await|new|delete|return)\s+$/.test(before)
  )
}

/** Handles `complete`. */
export const complete = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"complete">) {
  if (payload.kind === "location") {
    const found = yield* places(session, payload.text)
    return { data: { completions: found.slice(0, maxCompletions).map((text) => ({ text })) } }
  }
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  if (followsOperand(payload.text)) return { data: { completions: [] } }
  const [, before = "", operator, word = ""] =
    /^(.*?)(\.|->)([A-Za-z_]\w*)?$/s.exec(payload.text) ?? /^(.*?)()([A-Za-z_]\w*)?$/s.exec(payload.text) ?? []
  // The longest suffix of the text that is a path.
  const path = /[A-Za-z_][\w.>[\]-]*$/.exec(before)?.[0] ?? ""
  const candidates =
    operator === undefined || operator === ""
      ? yield* view.locals(at)
      : yield* read(view, at, path).pipe(
          Effect.flatMap((value) =>
            value.ref === undefined
              ? Effect.succeed([])
              : Effect.flatMap(session.references.resolve(value.ref, view.stop), (target) =>
                  view.children(target, 0, maxCompletions)
                )
          ),
          Effect.catchTag(["EvaluationFailed", "VariableNotFound", "SideEffects", "StaleReference"], () =>
            Effect.succeed([])
          )
        )
  const names = new Map(
    candidates
      .filter(({ name }) => /^[A-Za-z_]/.test(name) && name.startsWith(word))
      .map(({ name, type }) => [name, type])
  )
  return {
    data: {
      completions: [...names].slice(0, maxCompletions).map(([name, type]) => ({
        text: `${before}${operator ?? ""}${name}`,
        ...(type === undefined ? {} : { type })
      }))
    }
  }
})
