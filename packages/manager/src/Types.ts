/**
 * The handlers that say what an expression could be: `type` describes types, `complete` lists how a text can go on.
 */
import { Errors, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Expression from "./Expression.ts"
import * as Selection from "./Selection.ts"
import type { Session } from "./Session.ts"
import { read } from "./Values.ts"

const member = /^\s+(.+?[\s*&])((?:[A-Za-z_]\w*))((?:\[\d*\])*)(?:\s*:\s*(\d+))?;$/

/** The data members that a definition lists at its first level: name and type. */
export const members = (definition: string): ReadonlyArray<{ readonly name: string; readonly type: string }> => {
  const fields: Array<{ name: string; type: string }> = []
  let depth = 0
  for (const line of definition.split("\n")) {
    const [, type, name, array = "", bits] = depth === 1 ? (member.exec(line) ?? []) : []
    if (type !== undefined && name !== undefined && !/\b(?:static|using|typedef|friend)\b/.test(type)) {
      fields.push({ name, type: `${type.trim()}${array}${bits === undefined ? "" : ` : ${bits}`}` })
    }
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
  }
  return fields
}

const integer = (text: string): number | undefined => {
  const value = /^-?\d+$/.test(text) ? Number(text) : undefined
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined
}

/** `type` */
export const type = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"type">) {
  const view = yield* session.view
  const at = yield* Selection.frameOf(session, view, payload)
  const connection = yield* session.connection
  const bare = (name: string) => name.replace(/^(?:(?:const|volatile|struct|class|union|enum)\s+)+/, "").trim()
  const described = (name: string) =>
    /^[\w:<>, ]+$/.test(name) ? connection.inspection.type(bare(name)) : Effect.succeed([])
  const number = (expression: string) =>
    view.evaluate(expression, at, "read").pipe(
      Effect.map((value) => integer(value.value)),
      Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
    )
  const value = Expression.onlyReads(payload.name)
    ? yield* Effect.option(view.evaluate(payload.name, at, "read"))
    : ({ _tag: "None" } as const)
  const asType = value._tag === "None" ? payload.name : (value.value.type ?? payload.name)
  const known = yield* described(asType)
  const found = known.find(({ definition }) => !definition.startsWith("typedef ")) ?? known[0]
  const size =
    found?.size ?? (Expression.onlyReads(payload.name) ? yield* number(`sizeof(${payload.name})`) : undefined)
  yield* view.check
  if (found === undefined && value._tag === "None" && size === undefined) {
    return yield* new Errors.SymbolNotFound({ name: payload.name, near: [] })
  }
  const listed = found === undefined ? [] : members(found.definition)
  const fields = payload.layout
    ? yield* Effect.forEach(listed, (field) =>
        Effect.gen(function* () {
          const one = `((${bare(asType)}*)0)->${field.name}`
          const offset = yield* number(`(unsigned long)&(${one})`)
          const size = yield* number(`sizeof(${one})`)
          return { ...field, ...(offset === undefined ? {} : { offset }), ...(size === undefined ? {} : { size }) }
        })
      )
    : listed
  return {
    data: {
      type: asType,
      ...(found === undefined ? {} : { definition: found.definition }),
      ...(size === undefined ? {} : { size }),
      ...(fields.length === 0 ? {} : { fields })
    }
  }
})

/** Most completions in one answer. */
const mostCompletions = 100

/** `complete` */
export const complete = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"complete">) {
  const view = yield* session.view
  const at = yield* Selection.frameOf(session, view, payload)
  const [, before = "", operator, word = ""] =
    /^(.*?)(\.|->)([A-Za-z_]\w*)?$/s.exec(payload.text) ?? /^(.*?)()([A-Za-z_]\w*)?$/s.exec(payload.text) ?? []
  // The longest end of what stands before that is a path by itself.
  const path = /[A-Za-z_][\w.>[\]-]*$/.exec(before)?.[0] ?? ""
  const candidates =
    operator === undefined || operator === ""
      ? yield* view.locals(at)
      : yield* read(view, at, path).pipe(
          Effect.flatMap((value) =>
            value.ref === undefined
              ? Effect.succeed([])
              : Effect.flatMap(session.references.resolve(value.ref, view.stop), (target) =>
                  view.children(target, 0, mostCompletions)
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
      completions: [...names].slice(0, mostCompletions).map(([name, type]) => ({
        text: `${before}${operator ?? ""}${name}`,
        ...(type === undefined ? {} : { type })
      }))
    }
  }
})
