/**
 * Finds values by a path of names and elements in the variables of a frame, so that no expression is evaluated.
 *
 * Under an adapter with the quirk `propertiesRunCode` an evaluation can run code of the program for any expression: a getter, a trap of a
 * proxy, a conversion, a description that the program defines. Requests for variables run none.
 */
import { RunsCode, type Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import { adapterError } from "../../console/Failures.ts"

/** The variables in which paths are followed. */
export interface Variables {
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  readonly around: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value> | undefined, Backend.Failure>
  readonly children: Backend.Connection["children"]
}

const step = /(?:\??\.([\p{L}_$][\p{L}\p{N}_$]*)|(?:\?\.)?\[\s*(?:(\d{1,15})|"([^"\\\n]*)"|'([^'\\\n]*)')\s*\])/u
const first = /^\s*([\p{L}_$][\p{L}\p{N}_$]*)/u

/** Returns the names of a path, such as `a`, `b`, `0` of `a.b[0]`; undefined for another expression. */
const parse = (expression: string): readonly [string, ...ReadonlyArray<string>] | undefined => {
  const root = first.exec(expression)
  if (root?.[1] === undefined) return undefined
  const names: [string, ...Array<string>] = [root[1]]
  let rest = expression.slice(root[0].length).trimEnd()
  while (rest !== "") {
    const found = step.exec(rest)
    const name = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4]
    if (found?.index !== 0 || name === undefined) return undefined
    names.push(name)
    rest = rest.slice(found[0].length)
  }
  return names
}

/** Most members of a value among which a name is searched. */
const most = 10_000

const named = (values: ReadonlyArray<Backend.Value> | undefined, name: string) =>
  values?.find((value) => value.name === name)

/** Finds the value of a path; undefined for another expression, `absent` if the variables do not have it, `getter` if reading it runs code. */
const find = Effect.fnUntraced(function* ({ around, children, locals }: Variables, expression: string, frame: number) {
  const path = parse(expression)
  if (path === undefined) return undefined
  const [root, ...members] = path
  let value = named(yield* locals(frame), root) ?? named(yield* around(frame), root)
  for (const member of members) {
    if (value === undefined || value.handle === 0) return "absent"
    const one = /^\d+$/.test(member) ? named(yield* children(value.handle, Number(member), 1), member) : undefined
    value = one ?? named(yield* children(value.handle, 0, most), member)
  }
  // A getter is known by its name only: reading it runs code.
  if (value === undefined) return "absent"
  if (value.attributes?.includes("lazy") === true) return "getter"
  return { ...value, name: expression, expression }
})

/**
 * Reads an expression by its path, or by an evaluation if the caller may run code of the program. An evaluation reads simple
 * values whole, and a path objects without the description that the program defines for them.
 */
export const reader =
  (variables: Variables, name: string) =>
  (expression: string, frame: number, evaluation: Effect.Effect<Backend.Value, Backend.Failure>) =>
    Effect.gen(function* () {
      const runsCode = yield* RunsCode.RunsCode
      const found = yield* find(variables, expression, frame)
      if (typeof found === "object" && (found.handle !== 0 || runsCode !== true)) return found
      if (runsCode === true) return yield* evaluation
      const why =
        found === undefined
          ? `${name} reads only variables, members and elements without running code of the program`
          : found === "getter"
            ? "a getter cannot be read without running code of the program"
            : `${name} finds no such variable, member or element without running code of the program`
      const detail = `${why}, ${runsCode}`
      return yield* adapterError(undefined, "evaluate", detail)
    })
