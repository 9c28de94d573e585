/**
 * Replaces values that LLDB computes wrongly from their DWARF location by the reason, so that no false value is shown, and drops
 * thread-local variables of the file, which LLDB lists among the local ones.
 *
 * One instance per connection. The names are remembered by frame until the program resumes.
 */
import { Locations } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { CorrectedValues } from "../../Dialect.ts"
import * as ArrayLengths from "./ArrayLengths.ts"
import * as ExpressionQueries from "../ExpressionQueries.ts"
import type { CallFrames } from "../frames/CallFrames.ts"
import * as FrameHandles from "../frames/FrameHandles.ts"
import * as FrameVariables from "./FrameVariables.ts"
import * as TakenAddress from "./TakenAddress.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>
  readonly locals: Backend.Connection["locals"]
  readonly evaluate: Backend.Connection["evaluate"]
  /** The frames that LLDB does not find. */
  readonly calls: CallFrames
  /** Returns the address at which a frame is, if it was read already. */
  readonly addressOf?: (frame: number) => string | undefined
  /** Runs `Locations.lookupAt`, or returns its answer to the same question before; absent if each is asked. */
  readonly lookUp?: (address: string) => Effect.Effect<string, Backend.Failure>
}

/** Returns the names in an expression that are not those of members. */
const variablesIn = (expression: string): ReadonlyArray<string> =>
  expression.match(/(?<!\w|(?:\.|->|::)\s*)[A-Za-z_]\w*/g) ?? []

const withoutPlace = (name: string) => name.replace(/ @ .*$/, "")

/** Matches what LLDB calls a parameter without a name. No expression names it, and GDB does not list it. */
const nameless = /^(?:<null>(?: @ 0x[\da-f]+)?|\(null\))?$/

/** Matches variables that compilers add: those of a range-based `for`, of virtual tables, Objective-C methods, blocks and coroutines. */
const added =
  /^(?:__(?:for_)?(?:range|begin|end)\d*|vtt|__vtt_parm|__in_chrg|_cmd|\.block_descriptor|__promise|_Coro_\w+|__coro_\w+|__(?:PRETTY_)?(?:FUNCTION|func)__)$/

const attributeOf = (reason: string) => (reason.startsWith("unknown") ? "unknown" : "optimized-out")

/** What is known of a frame: its names without a right value, each with the reason, and all names of its function. */
interface Names {
  readonly wrong: ReadonlyMap<string, string>
  readonly visible: ReadonlySet<string>
  /** The identities of its variables. */
  readonly declarations: ReadonlyMap<string, string>
  /** The values that LLDB does not read. */
  readonly constants: ReadonlyMap<string, ExpressionQueries.Constant>
  /** The variables that have no address. */
  readonly withoutAddress: ReadonlyMap<string, Locations.WithoutAddress>
  /** The arrays that LLDB reads with a wrong length. */
  readonly arrays: ArrayLengths.Arrays
}

const unknown: Names = {
  wrong: new Map(),
  visible: new Set(),
  declarations: new Map(),
  constants: new Map(),
  withoutAddress: new Map(),
  arrays: new Map()
}

/** Why an array has no value. */
const withoutLength = "unknown: LLDB does not read the length of this array"

/** Returns a value without what LLDB read, with the reason. */
const without = (value: Backend.Value, reason: string): Backend.Value => {
  const { expression: _, child_count: __, ...rest } = value
  return { ...rest, value: `<${reason}>`, handle: 0, attributes: [attributeOf(reason)] }
}

const corrected = (value: Backend.Value, { constants, wrong }: Names): Backend.Value => {
  const name = withoutPlace(value.name)
  const constant = constants.get(name)
  if (constant !== undefined) {
    const { attributes: _, ...rest } = value
    return { ...rest, ...constant, handle: 0 }
  }
  const reason = wrong.get(name)
  return reason === undefined ? value : without(value, reason)
}

/** Makes the corrections of one connection. An expression that names a wrong local variable fails. */
export const make = ({
  addressOf = () => undefined,
  calls,
  command,
  evaluate,
  locals,
  lookUp
}: Options): CorrectedValues => {
  const known = new Map<number, Names>()
  const unwoundFrames = FrameVariables.make({ command, evaluate })

  /** Reads the names of a frame. If the caller is found, the frame of a split function was unwound all the same. */
  const readFrame = Effect.fnUntraced(function* (frame: number) {
    const listed = addressOf(frame)
    const address = listed ?? Locations.addressIn(yield* command(Locations.instructionPointer, frame))
    if (address === undefined) return unknown
    // A caller is at the instruction after its call, which may belong to another block or function, as after a call of abort().
    const at = FrameHandles.placeOf(frame).frame === 0 ? address : `0x${(BigInt(address) - 1n).toString(16)}`
    const output = yield* listed === undefined || lookUp === undefined
      ? command(Locations.lookupAt(at), frame)
      : lookUp(at)
    const constants = new Map<string, ExpressionQueries.Constant>()
    for (const [name, entry] of Locations.constants(output)) {
      const found = yield* ExpressionQueries.constant(command, entry, name, frame)
      if (found !== undefined) constants.set(name, found)
    }
    const { arrays, unknown: lost } = yield* ArrayLengths.read(command, output, frame)
    const wrong = new Map([...Locations.unreliable(output), ...lost.map((name) => [name, withoutLength] as const)])
    const [visible, declarations] = [Locations.visible(output), Locations.declarations(output)]
    const withoutAddress = Locations.withoutAddress(output)
    const names = { wrong, visible, declarations, constants, withoutAddress, arrays }
    const inFrame = Locations.inFrame(output)
    if (inFrame.length === 0 || (yield* isRight(frame, output))) return names
    return { ...names, wrong: new Map([...wrong, ...inFrame.map((name) => [name, FrameVariables.notRead] as const)]) }
  })

  /** Whether LLDB computes the address of a frame rightly. Without Python it does if a split function has a caller. */
  const isRight = Effect.fnUntraced(function* (frame: number, lookup: string) {
    const judged = yield* calls.isRight(frame)
    if (judged !== undefined || Locations.inSplitFrame(lookup).length === 0) return judged !== false
    // Without a caller the command may fail.
    const caller = Locations.caller(FrameHandles.placeOf(frame).frame)
    return Locations.isCode(yield* Effect.orElseSucceed(command(caller, frame), () => ""))
  })

  /** The variables of a frame that LLDB does not list; none if they cannot be read. */
  const ofAdded = (frame: number) =>
    Effect.map(unwoundFrames.values(frame), (found = []) =>
      found.filter(({ name }) => !nameless.test(name) && !added.test(withoutPlace(name)))
    )

  /** Replaces the values in a frame whose address LLDB computes wrongly. */
  const replaced = Effect.fnUntraced(function* (values: ReadonlyArray<Backend.Value>, frame: number, names: Names) {
    const isOwn = ({ name }: Backend.Value) => names.wrong.get(withoutPlace(name)) === FrameVariables.notRead
    if (!values.some(isOwn)) return values
    const found = yield* Effect.orElseSucceed(unwoundFrames.values(frame), () => undefined)
    return values.map((value) => {
      const { declaration, name } = value
      const isSame = (other: Backend.Value) =>
        other.name === name && (declaration === undefined || other.declaration === declaration)
      return (isOwn(value) ? found?.find(isSame) : undefined) ?? value
    })
  })

  const ofFrame = (frame: number) =>
    Effect.suspend(() => {
      const found = known.get(frame)
      if (found !== undefined) return Effect.succeed(found)
      return readFrame(frame).pipe(
        Effect.orElseSucceed(() => unknown),
        Effect.tap((names) => Effect.sync(() => known.set(frame, names)))
      )
    })

  /** True for a variable of a file. Only C++ writes its scope; in C a file has to have a variable of the name. */
  const isOfFile = (name: string, frame: number, { visible }: Names) => {
    if (name.includes("::")) return Effect.succeed(true)
    if (visible.size === 0 || visible.has(name) || !/^[A-Za-z_]\w*$/.test(name)) return Effect.succeed(false)
    return command(Locations.ofFile(name), frame).pipe(
      Effect.map((output) => !output.startsWith("error:")),
      Effect.orElseSucceed(() => false)
    )
  }

  /** Evaluates an expression with arrays that LLDB misreads. */
  const evaluateSized: Backend.Connection["evaluate"] = Effect.fnUntraced(function* (expression, frame, how, timeout) {
    const { arrays } = yield* ofFrame(frame)
    const value = yield* evaluate(ArrayLengths.inExpression(expression, arrays), frame, how, timeout)
    const array = arrays.get(expression.trim())
    const type = array === undefined ? value.type : ArrayLengths.typeOf(array)
    return { ...value, name: expression, expression, ...(type === undefined ? {} : { type }) }
  })

  return {
    locals: Effect.fnUntraced(function* (frame) {
      if (calls.isAdded(frame)) return yield* ofAdded(frame)
      // Both are sent together if the second needs no answer before it.
      const isReady = addressOf(frame) !== undefined && !known.has(frame)
      const [found] = yield* Effect.all([locals(frame), isReady ? ofFrame(frame) : Effect.void], {
        concurrency: "unbounded"
      })
      const named = found.filter(({ name }) => !nameless.test(name) && !added.test(withoutPlace(name)))
      const names = named.length === 0 ? unknown : yield* ofFrame(frame)
      const values = yield* Effect.filter(named, ({ name }) =>
        Effect.map(isOfFile(withoutPlace(name), frame, names), (ofFile) => !ofFile)
      )
      const all = yield* Effect.forEach(values, (found) => {
        const declaration = names.declarations.get(found.name)
        const value = declaration === undefined ? found : { ...found, declaration }
        if (!names.arrays.has(value.name)) return Effect.succeed(corrected(value, names))
        return Effect.orElseSucceed(evaluateSized(value.name, frame, "any"), () => without(value, withoutLength))
      })
      return yield* replaced(all, frame, names)
    }),

    evaluate: Effect.fnUntraced(function* (expression, frame, how, timeout) {
      if (calls.isAdded(frame)) return yield* unwoundFrames.evaluate(expression, frame)
      const names = /[A-Za-z_]/.test(expression) ? yield* ofFrame(frame) : undefined
      const constant = names?.constants.get(expression.trim())
      if (constant !== undefined) return { name: expression, ...constant, handle: 0, expression }
      const address = TakenAddress.problem(expression, names?.withoutAddress ?? unknown.withoutAddress)
      if (address !== undefined) return yield* new Errors.AdapterError({ command: "evaluate", detail: address })
      const wrong = names?.wrong
      const found = wrong?.size ? variablesIn(expression).filter((one) => wrong.has(one)) : []
      const name = found.find((one) => wrong?.get(one) !== FrameVariables.notRead) ?? found[0]
      if (name === undefined) {
        const sized = ArrayLengths.isIn(expression, names?.arrays ?? unknown.arrays)
        if (!sized || (how === "read" && !Expression.onlyReads(expression))) {
          return yield* evaluate(expression, frame, how, timeout)
        }
        return yield* evaluateSized(expression, frame, "any", timeout)
      }
      if (wrong?.get(name) === FrameVariables.notRead) {
        return yield* unwoundFrames.evaluate(expression, frame, (one) => wrong?.get(one) === FrameVariables.notRead)
      }
      return yield* new Errors.AdapterError({ command: "evaluate", detail: `${name} is ${wrong?.get(name) ?? ""}` })
    }),

    forget: () => {
      known.clear()
      unwoundFrames.forget()
      calls.forget()
    }
  }
}
