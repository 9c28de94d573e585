/**
 * The formatters for the C++ library that sigtrap adds to LLDB, and the command that reads elements of containers.
 *
 * They are Python, which LLDB runs if it was built with it. Without Python the command that loads them fails, and LLDB's own
 * formatters remain.
 */
import { Errors } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Found } from "../Dialect.ts"
import { adapterError } from "../Failures.ts"
import { failures } from "./Failures.ts"
import { withNumber } from "./Characters.ts"
import { allocations } from "./formatters/Allocations.ts"
import { assignedTexts } from "./formatters/AssignedTexts.ts"
import { callFrames } from "./formatters/CallFrames.ts"
import { caughtExceptions } from "./formatters/CaughtExceptions.ts"
import { childPages } from "./formatters/ChildPages.ts"
import { children } from "./formatters/Children.ts"
import { closures } from "./formatters/Closures.ts"
import { commandBatch } from "./formatters/CommandBatch.ts"
import { compilation } from "./formatters/Compilation.ts"
import { declaredStrings } from "./formatters/DeclaredStrings.ts"
import { dueBreakpoints } from "./formatters/DueBreakpoints.ts"
import { dwarf } from "./formatters/Dwarf.ts"
import { elements } from "./formatters/Elements.ts"
import { enumerators } from "./formatters/Enumerators.ts"
import { escapingExceptions } from "./formatters/EscapingExceptions.ts"
import { faultSignals } from "./formatters/FaultSignals.ts"
import { hitConditions } from "./formatters/HitConditions.ts"
import { hitFrames } from "./formatters/HitFrames.ts"
import { incompleteTypes } from "./formatters/IncompleteTypes.ts"
import { install } from "./formatters/Install.ts"
import { instructions } from "./formatters/Instructions.ts"
import { iterators } from "./formatters/Iterators.ts"
import { kernelWrites } from "./formatters/KernelWrites.ts"
import { libraries } from "./formatters/Libraries.ts"
import { logRecords } from "./formatters/LogRecords.ts"
import { longJumps } from "./formatters/LongJumps.ts"
import { memberArrays } from "./formatters/MemberArrays.ts"
import { memberPointers } from "./formatters/MemberPointers.ts"
import { nestedArrays } from "./formatters/NestedArrays.ts"
import { pathRecords } from "./formatters/PathRecords.ts"
import { paths } from "./formatters/Paths.ts"
import { pendingSignals } from "./formatters/PendingSignals.ts"
import { returned } from "./formatters/Returned.ts"
import { tracePlaces } from "./formatters/TracePlaces.ts"
import { typedMemory } from "./formatters/TypedMemory.ts"
import { unknownNames } from "./formatters/UnknownNames.ts"
import { traceRecords } from "./formatters/TraceRecords.ts"
import { trees } from "./formatters/Trees.ts"
import { unrepeatableCode } from "./formatters/UnrepeatableCode.ts"
import { sessionStarts } from "./formatters/SessionStarts.ts"
import { stepEnds } from "./formatters/StepEnds.ts"
import { strings } from "./formatters/Strings.ts"
import { summaries } from "./formatters/Summaries.ts"
import { times } from "./formatters/Times.ts"
import { valueTypes } from "./formatters/ValueTypes.ts"
import { variableLengths } from "./formatters/VariableLengths.ts"
import { virtualBases } from "./formatters/VirtualBases.ts"
import { watchConditions } from "./formatters/WatchConditions.ts"
import { watchHits } from "./formatters/WatchHits.ts"
import { wrapped } from "./formatters/Wrapped.ts"

const source = JSON.stringify(
  [
    summaries,
    times,
    incompleteTypes,
    memberPointers,
    strings,
    children,
    declaredStrings,
    trees,
    dwarf,
    variableLengths,
    memberArrays,
    nestedArrays,
    virtualBases,
    paths,
    typedMemory,
    wrapped,
    valueTypes,
    iterators,
    elements,
    enumerators,
    unknownNames,
    closures,
    compilation,
    assignedTexts,
    returned,
    hitFrames,
    traceRecords,
    tracePlaces,
    logRecords,
    unrepeatableCode,
    kernelWrites,
    allocations,
    dueBreakpoints,
    hitConditions,
    instructions,
    faultSignals,
    pendingSignals,
    callFrames,
    stepEnds,
    caughtExceptions,
    escapingExceptions,
    longJumps,
    libraries,
    watchConditions,
    watchHits,
    pathRecords,
    commandBatch,
    childPages,
    sessionStarts,
    install
  ].join("\n")
)

const loader = `import sys,types
sigtrap_values=types.ModuleType('sigtrap_values')
sys.modules['sigtrap_values']=sigtrap_values
exec(compile(${source},'sigtrap_values','exec'),sigtrap_values.__dict__)
sigtrap_values.install(lldb.debugger)`

/** The command that loads the formatters. */
export const load = `script exec(${JSON.stringify(loader)})`

/**
 * The initial commands of an adapter that load the formatters. Versions without command marks would print them into the
 * session's console, so these keep LLDB's own formatters. A command with the mark `?` is printed only if it fails.
 */
export const loading = ({ supportsCommandMarks }: { readonly supportsCommandMarks?: boolean }): ReadonlyArray<string> =>
  supportsCommandMarks === true ? [`?${load}`] : []

/** What the commands answer: a path for `frame variable`, an expression that LLDB can compile, a value, or why there is none. */
const Answer = Schema.fromJsonString(
  Schema.Struct({
    path: Schema.optionalKey(Schema.String),
    expression: Schema.optionalKey(Schema.String),
    callers: Schema.optionalKey(Schema.Int),
    value: Schema.optionalKey(Schema.String),
    type: Schema.optionalKey(Schema.String),
    problem: Schema.optionalKey(Schema.String)
  })
)

/** True if an expression may need the formatters: it has an index, a call, a member, or follows a value. */
const isConcerned = (expression: string) =>
  /[[(.]|->|^\s*\*/.test(expression) && !/[\u0000-\u001f\u007f`]/.test(expression)

/**
 * Finds what an expression over containers means, without running code of the program. `text` runs a command and returns its
 * output, also if it failed. Undefined if the expression is another one, or if LLDB has no Python.
 */
export const find = Effect.fnUntraced(function* (
  text: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  expression: string,
  frame: number
): Effect.fn.Return<Found | undefined, Backend.Failure> {
  if (!isConcerned(expression)) return undefined
  const output = yield* text(`sigtrap-read ${expression}`, frame)
  const answer = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim()))
  if (answer?.problem !== undefined) {
    return yield* new Errors.AdapterError({ command: "frame variable", detail: answer.problem })
  }
  if (answer?.path !== undefined) return { kind: "path", path: answer.path }
  const { type = "", value } = answer ?? {}
  return value === undefined
    ? undefined
    : { kind: "value", value: { name: expression, value: withNumber(value, type), type, handle: 0, expression } }
})

const answered = (expression: string, output: string): Effect.Effect<Found | undefined, Errors.AdapterError> => {
  const answer = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim())) ?? {}
  const { problem, type = "", value } = answer
  if (problem !== undefined) {
    return Effect.fail(adapterError(failures, "expression", problem))
  }
  if (answer.expression !== undefined) {
    return Effect.succeed({ kind: "expression", expression: answer.expression, callers: answer.callers ?? 0 })
  }
  return Effect.succeed(
    value === undefined
      ? undefined
      : { kind: "value", value: { name: expression, value: withNumber(value, type), type, handle: 0, expression } }
  )
}

/** True if a command can contain an expression. */
const isPlain = (expression: string) => !/[\u0000-\u001f\u007f`]/.test(expression)

/**
 * Returns the value of an expression that LLDB cannot compile, if it consists of scalars, or the expression with numbers in place of
 * enumerators, or with addresses in place of variables, for a calling frame. Fails for others that LLDB cannot compile. Undefined if LLDB can, and without Python.
 */
export const compiled = (
  text: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  expression: string,
  frame: number
): Effect.Effect<Found | undefined, Backend.Failure> =>
  isPlain(expression)
    ? Effect.flatMap(text(`sigtrap-compile ${expression}`, frame), (output) => answered(expression, output))
    : Effect.undefined

/** Returns false if LLDB cannot compile a condition at an address. True if it can, and without Python. */
export const compilesAt = (
  command: (line: string) => Effect.Effect<string, Backend.Failure>,
  address: string,
  condition: string
): Effect.Effect<boolean> =>
  isPlain(condition)
    ? command(`sigtrap-compile-at ${address} ${condition}`).pipe(
        Effect.flatMap((output) => answered(condition, output)),
        Effect.isSuccess
      )
    : Effect.succeed(true)

/** The value of a variable that always has the same. */
export interface Constant {
  readonly value: string
  readonly type: string
}

/** Returns the value of a variable that LLDB does not read, by the number of its entry; undefined if it is unknown, or without Python. */
export const constant = Effect.fnUntraced(function* (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  entry: string,
  name: string,
  frame: number
): Effect.fn.Return<Constant | undefined> {
  if (!/^\w+$/.test(name)) return undefined
  const output = yield* Effect.orElseSucceed(command(`sigtrap-constant ${entry} ${name}`, frame), () => "")
  const { type = "", value } = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim())) ?? {}
  return value === undefined ? undefined : { value: withNumber(value, type), type }
})

/** What the command `sigtrap-lengths` answers. */
const Lengths = Schema.fromJsonString(
  Schema.Struct({ lengths: Schema.optionalKey(Schema.Array(Schema.NullOr(Schema.Int))) })
)

/**
 * Returns the lengths of an array that is or is behind a variable, the outermost first, by the number of the variable's entry; null is a
 * length that cannot be computed. Undefined if LLDB reads the lengths, and without Python.
 */
export const lengths = (
  command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  entry: string,
  frame: number
): Effect.Effect<ReadonlyArray<number | null> | undefined> =>
  command(`sigtrap-lengths ${entry}`, frame).pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((output) => Option.getOrUndefined(Schema.decodeOption(Lengths)(output.trim()))?.lengths)
  )

/** Matches a container of which LLDB 19 reports no elements, whatever it has. */
const unreliable = /^(?:const )?std::(?:__1::|__cxx1998::)?unordered_/

/** Matches the address before the summary of a reference, and the same address twice before that of a pointer. */
const referenceAddress = /^0x[0-9a-f]+ (?=\d+ \{|")/
const pointerTwice = /^0x0*([0-9a-f]+) (?=0x\1 \{)/

/** The preview of a pointer to a pointer, such as `0x10 {**argv:'/'}`: one character behind two pointers. */
const behindTwoPointers = /^(0x[0-9a-f]+) \{\*\*[^:{}]+:.*\}$/s

/** Matches LLDB's reasons why a variable has no value at an instruction of optimized code. */
const gone =
  /^<(?:error: )?(?:(?:parent failed to evaluate: )?variable not available|[^<>]*may have been optimized out[^<>]*)>$/

/** Matches LLDB's error for an argument that only the caller may have kept. LLDB does not find every caller. */
const atEntry = /^<(?:error: )?[^<>]*\bDW_OP_entry_value[^<>]*>$/

/** Matches LLDB's errors for a location or a constant of the debug information that it cannot read. The variable has a value. */
const unread = /^<(?:error: )?[^<>]*(?:\b(DW_OP_\w+)|empty constant data)[^<>]*>$/

/** What a variable is of which LLDB has neither a value nor an error, as in the frame of a function that ended by a tail call. */
export const noValue = "<unknown: LLDB has no value>"

/** Matches what LLDB writes in place of a pointer that has no value. */
const withoutValue = /^<(?:error: )?no value available>$/

/** Matches how LLDB writes a character below 0x80 that has no letter, in an array of `unsigned char`. */
const controlCharacter = /(?<!\\)((?:\\\\)*)\\U000000([0-7][0-9a-f])/g

/** Matches the type of a pointer to a member of a C++ class: `int S::*`, `int (S::*)(int) const`. */
const memberPointer = /::\*(?: ?(?:const|volatile))*(?:\)\(.*)?$/s

/** True if a type is that of a pointer to a member of a C++ class. */
export const isMemberPointer = (type: string | undefined): boolean => type !== undefined && memberPointer.test(type)

/** Returns the text of a pointer to a member: what the formatters say, else the offset of a data member. */
const memberOf = (text: string, type: string): string => {
  const said = /^0x[0-9a-f]+ ([^(].*)$/s.exec(text)?.[1]
  if (said !== undefined) return said
  if (type.includes("::*)") || !/^0x[0-9a-f]+$/.test(text)) return text
  return /^0xf{8,16}$/.test(text) ? "nullptr" : `offset ${BigInt(text)} of the class`
}

/**
 * Returns the text of a value as the formatters mean it: without the address that adapters put before the summary, without a
 * size of 0 that LLDB's own formatter may have invented, and without a preview of what is behind two pointers. A value that
 * the compiler removed is `<optimized out>`, and one that LLDB cannot read `<unknown: …>`.
 */
export const shown = (whole: string, type = ""): string => {
  const text = whole.includes("\\U000000") ? whole.replaceAll(controlCharacter, "$1\\x$2") : whole
  if (gone.test(text)) return "<optimized out>"
  // Rust's unit.
  if (type === "void" && text.includes("Unable to determine byte size")) return "()"
  if (atEntry.test(text)) return "<unknown: only the caller may know the value at entry>"
  const failed = unread.exec(text)
  if (failed !== null) return `<unknown: LLDB cannot read ${failed[1] ?? "its constant"}>`
  // lldb-dap writes the type.
  if (withoutValue.test(text) || (text === type && text !== "")) return noValue
  if (isMemberPointer(type)) return memberOf(text, type)
  if (type.endsWith("**")) return text.replace(behindTwoPointers, "$1")
  if (/^size=0\b/.test(text) && unreliable.test(type)) return "<unknown size>"
  if (!type.startsWith("std::") && !type.startsWith("const std::")) return text
  if (type.endsWith("&")) return text.replace(referenceAddress, "").replace(/(?<=\}):$/, "")
  return text.replace(pointerTwice, "")
}
