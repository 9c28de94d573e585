/** The test of the expressions that values are given with: each evaluates to its value. */
import type { Variable } from "@sigtrap/protocol"
import { Effect } from "effect"
import { debugging, Programs } from "../support/fixturePrograms.ts"

/** The text of a value without the parts that depend on how much of it was asked for. */
const comparable = (value = "", type = ""): string =>
  (type.endsWith("&") ? value.replace(/^0x[\da-f]+(?= \{)/, "") : value).replace(/ ?\{.*$/s, "")

/** A type without its reference, which an expression does not keep. */
const typeOf = (type = ""): string => type.replaceAll(/\bconst\b| |&/g, "")

/** Returns a value and the values in it, each with the names that lead to it. */
const all = (
  value: Variable.Variable,
  above = ""
): ReadonlyArray<readonly [path: string, value: Variable.Variable]> => {
  const path = `${above}${value.name}`
  return [[path, value], ...(value.children ?? []).flatMap((child) => all(child, `${path}/`))]
}

/** A value whose expression evaluates to something else. */
interface Wrong {
  readonly expression: string
  readonly expected: string
  readonly found: string
}

/** Debugs a program to a function, and evaluates the expressions of everything that its caller's variables lead to. */
export const expressions = (program: string, backend: "dap" | "lldb-cli", depth: number) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      yield* start(program, { backend, break: [`expressions.cpp:${line("expressions.cpp", "held")}`] })
      yield* call("up", {})
      const { locals = [] } = (yield* call("context", {})).data
      const { variables } = (yield* call("locals", { depth })).data
      const values = variables.flatMap((value) => all(value))
      const known = values.map(([, value]) => value).filter(({ expression }) => expression !== undefined)
      const wrong: Array<Wrong> = []
      for (const { expression = "", type, value } of known) {
        const found = yield* call("print", { expressions: [expression] }).pipe(
          Effect.match({
            onFailure: ({ message }) => ({ value: message, type: "" }),
            onSuccess: ({ data }) => data.values[0]
          })
        )
        const isSame =
          comparable(found?.value, found?.type) === comparable(value, type) && typeOf(found?.type) === typeOf(type)
        if (!isSame) {
          wrong.push({
            expression,
            expected: `${type ?? ""} ${value}`,
            found: `${found?.type ?? ""} ${found?.value ?? ""}`
          })
        }
      }
      return { wrong, locals, values: values.map(([path, { expression }]) => [path, expression] as const) }
    })
  )
