/**
 * The variables of frames whose address LLDB computes wrongly or that it does not find (`CallFrames`). A command that needs LLDB's Python
 * reads them by their DWARF locations. It gives each object a name that LLDB's expressions know.
 *
 * One instance per connection. The answers are kept until the program resumes.
 */
import type { Backend } from "@sigtrap/manager"
import { Errors, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as FrameHandles from "../frames/FrameHandles.ts"
import * as Keywords from "../Keywords.ts"

/** A variable: how expressions name its value, or the value's text, or why it has none (empty if that is not known). */
const Variable = Schema.Struct({
  name: Schema.String,
  type: Schema.String,
  /** Its entry in the debug information; empty if it has no location here. */
  entry: Schema.String,
  /** The file and the line that declare it. */
  place: Schema.String,
  argument: Schema.Boolean,
  operand: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  /** The address that a reference holds. */
  target: Schema.optionalKey(Schema.String)
})
type Variable = typeof Variable.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Variable)))
const decodeGlobal = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.NullOr(Schema.String)))

/** Why a variable has no value if LLDB computes its address wrongly and its location is not read. */
export const notRead = "unknown: LLDB cannot unwind this function"

/** Matches the names in an expression that are not those of members. */
const variable = /(?<![\w$]|(?:\.|->|::)\s*)[A-Za-z_]\w*/g

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>
  readonly evaluate: Backend.Connection["evaluate"]
}

/** The variables of such frames. */
export interface FrameVariables {
  /** The variables that a frame shows; undefined if they are unknown. */
  readonly values: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value> | undefined, Backend.Failure>
  /**
   * Evaluates an expression that only reads, with the values of the variables in place of their names. `isRead` tells which names
   * are read so in a frame that LLDB lists: it finds the others. In a frame that it does not list all are; a name that the
   * frame does not have is an error then.
   */
  readonly evaluate: (
    expression: string,
    frame: number,
    isRead?: (name: string) => boolean
  ) => Effect.Effect<Backend.Value, Backend.Failure>
  readonly forget: () => void
}

const refused = (detail: string) => Effect.fail(new Errors.AdapterError({ command: "evaluate", detail }))

const absent = ({ name, reason = "", type }: Variable): Backend.Value => {
  const why = reason === "" ? notRead : reason
  const attribute = why.startsWith("unknown") ? "unknown" : why.startsWith("cannot") ? "unreadable" : "optimized-out"
  return { name, type, value: `<${why}>`, handle: 0, attributes: [attribute] }
}

/**
 * Names variables of the same name as lldb-dap: `NAME @ FILE:LINE`. The name itself evaluates to the innermost one, which comes first, so
 * the others have no expression and cannot be opened.
 */
const distinguished = (
  values: ReadonlyArray<Backend.Value>,
  found: ReadonlyArray<Variable>
): ReadonlyArray<Backend.Value> =>
  values.map((value, index) => {
    const { name } = value
    if (found.filter((one) => one.name === name).length === 1) return value
    const named = { ...value, name: `${name} @ ${found[index]?.place ?? "?"}` }
    if (found.findIndex((one) => one.name === name) === index) return named
    const { child_count: _, expression: __, ...alone } = named
    return { ...alone, handle: 0 }
  })

/** The address that LLDB shows before the members of an object that a reference names. */
const referred = (target: string | undefined, value: string): string =>
  target !== undefined && value.startsWith("{") ? `0x${target.slice(2).padStart(16, "0")} ${value}` : value

/** Makes them for one connection. */
export const make = ({ command, evaluate }: Options): FrameVariables => {
  const known = new Map<number, ReadonlyArray<Variable> | undefined>()
  /** How expressions name static variables, by the frame and the name. */
  const globals = new Map<string, string | undefined>()

  /** The innermost frame of the thread, in which LLDB evaluates: the names of objects are known in each. */
  const evaluatedIn = (frame: number) => FrameHandles.handleOf(FrameHandles.placeOf(frame).thread, 0)

  const read = Effect.fnUntraced(function* (frame: number) {
    if (known.has(frame)) return known.get(frame)
    const place = FrameHandles.placeOf(frame)
    const line = `sigtrap-frame-variables ${place.thread} ${place.frame}`
    const output = yield* Effect.orElseSucceed(command(line, evaluatedIn(frame)), () => "")
    const found = Option.getOrUndefined(decode(output.trim()))
    known.set(frame, found)
    return found
  })

  const valueOf = Effect.fnUntraced(function* (found: Variable, frame: number) {
    const { argument, entry, name, operand, reason, text, type } = found
    const own = { ...(argument ? { kind: "arg" as const } : {}), ...(entry === "" ? {} : { declaration: entry }) }
    if (text !== undefined) return { name, type, value: text, handle: 0, expression: name, ...own }
    if (reason !== undefined || operand === undefined) return { ...absent(found), ...own }
    const value = yield* Effect.option(evaluate(operand, evaluatedIn(frame), "read"))
    return Option.match(value, {
      onNone: () => ({ ...absent(found), ...own }),
      onSome: (one) => ({
        ...one,
        name,
        type,
        value: referred(found.target, one.value),
        expression: name,
        ...own
      })
    })
  })

  /** Returns how expressions name a static variable that a frame sees; undefined if that is not known. */
  const globalOf = Effect.fnUntraced(function* (frame: number, name: string) {
    const key = `${frame} ${name}`
    if (globals.has(key)) return globals.get(key)
    const place = FrameHandles.placeOf(frame)
    const line = `sigtrap-frame-global ${place.thread} ${place.frame} ${name}`
    const output = yield* Effect.orElseSucceed(command(line, evaluatedIn(frame)), () => "")
    const operand = Option.getOrUndefined(decodeGlobal(output.trim())) ?? undefined
    globals.set(key, operand)
    return operand
  })

  /** Returns how expressions name the static variables in an expression of a frame that LLDB does not list. */
  const globalsIn = Effect.fnUntraced(function* (expression: string, frame: number, found: ReadonlyArray<Variable>) {
    const names = new Set([...expression.matchAll(variable)].map(([name]) => name))
    const others = [...names].filter((name) => !Keywords.isKeyword(name) && !found.some((one) => one.name === name))
    return new Map(
      yield* Effect.forEach(others, (name) => Effect.map(globalOf(frame, name), (one) => [name, one] as const))
    )
  })

  /** Replaces the names of variables. */
  const replaced = (
    expression: string,
    found: ReadonlyArray<Variable>,
    isRead: (name: string) => boolean,
    ofFiles: ReadonlyMap<string, string | undefined>
  ) => {
    // Of two of one name, the one of the innermost block comes first.
    const byName = new Map(found.map((one) => [one.name, one] as const).toReversed())
    const problems: Array<string> = []
    const text = expression.replaceAll(variable, (name) => {
      if (!isRead(name) || Keywords.isKeyword(name)) return name
      const one = byName.get(name)
      if (one?.operand !== undefined) return one.operand
      const ofFile = ofFiles.get(name)
      if (one === undefined && ofFile !== undefined) return ofFile
      const member = byName.get("this")?.operand
      if (one === undefined && member !== undefined) return `${member}->${name}`
      problems.push(
        one === undefined
          ? `this frame has no variable ${name}, and LLDB, which cannot unwind to it, knows no other names in it`
          : one.text === undefined
            ? `${name} is ${absent(one).value.slice(1, -1)}`
            : `${name} is in a register of a frame to which LLDB cannot unwind, and can only be read alone`
      )
      return name
    })
    return { text, problem: problems[0] }
  }

  return {
    values: Effect.fnUntraced(function* (frame) {
      const found = yield* read(frame)
      if (found === undefined) return undefined
      return distinguished(yield* Effect.forEach(found, (one) => valueOf(one, frame)), found)
    }),
    evaluate: Effect.fnUntraced(function* (expression, frame, isRead) {
      const found = yield* read(frame)
      if (found === undefined) return yield* refused("LLDB cannot unwind to this frame, so its variables are unknown")
      const own = found.find(({ name }) => name === expression.trim())
      if (own !== undefined && own.reason === undefined) return { ...(yield* valueOf(own, frame)), name: expression }
      if (!Expression.onlyReads(expression)) {
        return yield* refused("in a frame to which LLDB cannot unwind, variables can only be read")
      }
      const ofFiles = isRead === undefined ? yield* globalsIn(expression, frame, found) : new Map<string, undefined>()
      const { problem, text } = replaced(expression, found, isRead ?? (() => true), ofFiles)
      if (problem !== undefined) return yield* refused(problem)
      const at = isRead === undefined ? evaluatedIn(frame) : frame
      return { ...(yield* evaluate(text, at, "read")), name: expression, expression }
    }),
    forget: () => {
      known.clear()
      globals.clear()
    }
  }
}
