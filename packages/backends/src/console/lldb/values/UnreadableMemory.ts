/**
 * Says which values LLDB could not read. For memory that is not readable LLDB shows no members, empty texts (`""`), or the type
 * alone, and reports no error.
 *
 * A value that shows a text of the program was read. Only values that look empty are checked, by reading one byte at their
 * address, so a usual list costs no command.
 */
import { Memory } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { ReadableValues } from "../../Dialect.ts"
import * as Division from "./Division.ts"

/** The parts of a connection that this module uses. */
export interface Options extends ReadableValues {
  /** Runs a command and returns its output, also if it failed. */
  readonly commandText: (line: string) => Effect.Effect<string, Backend.Failure>
}

/** Number of members that are read to check a preview; previews show fewer. */
const maxPreviewed = 16

/** LLDB's error in place of a value. */
const failedRead = /<(?:error: )?read memory from (0x[\da-f]+) failed(?: \(\d+ of \d+ bytes read\))?>/g

/** The address in the error of a variable that cannot be read. */
const failedAddress = /read memory from (0x[\da-f]+) failed/

/** LLDB's errors of an expression that reads such memory. */
const failedExpression = /couldn't read its memory|couldn't read from memory/i

/** An empty text of a member in a preview. LLDB shows the same for a character pointer whose memory is not readable. */
const emptyMember = /(^|[{ ])([\w$]+):(?:u8|[uUL])?""/g

/** A preview whose members are all empty. */
const emptyPreview = /^\{(?:(?:[\w$]+:)?(?:""|\{\.\.\.\}|)(?:, )?)*(?:\.\.\.)?\}$/

/** A question to a container: `v.size()`, `p->empty()`. */
const containerCall = /^(.+?)(\.|->)\w+\([^()]*\)$/

/** The summary of a container without elements. */
const emptyContainer = /^\{?(?:size=)?0(?: \{\})?\}?$/

/** A pointer to a number: LLDB shows its address alone, also if its memory is readable. For other pointers it shows members or a text. */
const scalarPointer =
  /^(?:(?:const|volatile|unsigned|signed|long|short|int|char|bool|_Bool|float|double|u?int\d+_t|size_t) )+\*(?: ?const)?$/

const emptyText = /^(?:u8|[uUL])?""$/

const reason = (address: string) => `<cannot access memory at ${address}>`

/** The address of a pointer, and what LLDB shows of its target. */
interface Pointer {
  readonly address: string
  readonly target: string
}

const pointerOf = (value: string): Pointer | undefined => {
  const [, address, target] = /^(0x[\da-f]+)(?: (.+))?$/s.exec(value) ?? []
  return address === undefined ? undefined : { address, target: target ?? "" }
}

/** The address in the error of a pointer or reference whose summary reads its target. */
const targetOf = ({ type = "", value }: Backend.Value): string | undefined =>
  /[*&](?: ?const)?$/.test(type) ? /^<cannot access memory at (0x[\da-f]+)>:?$/.exec(value)?.[1] : undefined

const short = (address: string) => `0x${BigInt(address).toString(16)}`

/** An address before the one of a summary: the same again, or for a reference the place of the pointer. */
const earlierAddress = /^0x[\da-f]+ (?=0x[\da-f]+(?: [{<]|$))/

/** Shows the errors of LLDB in the words of all debuggers, and one address of a pointer. The summary `<unreadable>` has the attribute too. */
const reworded = (value: Backend.Value): Backend.Value => {
  const text = value.value.replace(earlierAddress, "").replaceAll(failedRead, (_, address: string) => reason(address))
  if (text === value.value && text !== "<unreadable>") return value
  const whole = /^<(?:cannot access memory at 0x[\da-f]+|unreadable)>$/.test(text)
  return { ...value, value: text, ...(whole ? { attributes: ["unreadable" as const] } : {}) }
}

/** The summary of a container whose elements cannot be counted. */
const unknownSize = "<unknown size>"

const closed = ({ child_count: _, ...value }: Backend.Value): Backend.Value => ({ ...value, handle: 0 })

const marked = (value: Backend.Value, text: string): Backend.Value => ({
  ...closed(value),
  value: text,
  attributes: ["unreadable" as const]
})

/** LLDB's text in place of a class of which it made up the members. */
const incomplete = "<incomplete type>"

/** Makes an evaluation that reads the text of a string whose class is only declared. LLDB calls its summary for expressions, not for paths. */
const withDeclaredTexts =
  (evaluate: Backend.Connection["evaluate"]): Backend.Connection["evaluate"] =>
  (expression, frame, how, within) =>
    Effect.flatMap(evaluate(expression, frame, how, within), (found) => {
      if (
        found.value !== incomplete ||
        !/\bbasic_string</.test(found.type ?? "") ||
        !Expression.onlyReads(expression)
      ) {
        return Effect.succeed(found)
      }
      return evaluate(`(${expression})`, frame, how, within).pipe(
        Effect.map(({ value }) => ({ ...found, value })),
        Effect.catchTag("AdapterError", () => Effect.succeed(found))
      )
    })

/** Makes the checks of one connection. Evaluating or opening a value in unreadable memory fails. */
export const make = ({ children, commandText, evaluate: evaluateAny, locals }: Options): ReadableValues => {
  const evaluate = Division.checked(withDeclaredTexts(evaluateAny))
  const isReadable = (address: string) =>
    Effect.map(
      commandText(Memory.read(BigInt(address), 1)),
      (text) => Memory.bytes(text, BigInt(address), 1).length === 1
    )

  /** The address of an expression; undefined if it has none. */
  const addressOf = (expression: string, frame: number) =>
    evaluate(`&(${expression})`, frame, "read").pipe(
      Effect.map(({ value }) => pointerOf(value)?.address),
      Effect.catchTag("AdapterError", () => Effect.undefined)
    )

  /** True if an address that cannot be read is that of the pointer itself, not of its target. LLDB may refuse to compute it then. */
  const isOwnMemory = (value: Backend.Value, failed: string, frame: number | undefined) =>
    value.expression === undefined || frame === undefined || value.type?.includes("&") === true
      ? Effect.succeed(false)
      : evaluate(`&(${value.expression})`, frame, "read").pipe(
          Effect.map((found) => pointerOf(found.value)?.address),
          Effect.catchTag("AdapterError", ({ detail }) => Effect.succeed(failedAddress.exec(detail)?.[1])),
          Effect.map((address) => address !== undefined && BigInt(address) === BigInt(failed))
        )

  /**
   * Checks what a pointer points to. LLDB's preview of a pointer to a pointer shows the target of the second, so it is removed. A member is not
   * checked for its missing preview: an object can have many of them.
   */
  const pointer = Effect.fnUntraced(function* (value: Backend.Value, { address, target }: Pointer, isMember: boolean) {
    if (BigInt(address) === 0n) return { ...value, value: address, handle: 0 }
    const looksEmpty =
      [emptyText, emptyPreview, emptyContainer].some((form) => form.test(target)) ||
      /<(?:cannot access memory|unreadable)/.test(target) ||
      (target === "" && !isMember && value.handle !== 0 && !scalarPointer.test(value.type ?? ""))
    if (looksEmpty && !(yield* isReadable(address))) return marked(value, `${address} <cannot access memory>`)
    return /\*(?: ?const)? ?\*/.test(value.type ?? "") ? { ...value, value: address } : value
  })

  /** The address of a value that looks as if it was not read; undefined for other values. */
  const suspect = Effect.fnUntraced(function* (value: Backend.Value, frame: number | undefined) {
    const { expression, type = "", value: text } = value
    const named = text.startsWith(`${type} @ 0x`) ? text.slice(type.length + 3) : undefined
    // An array in a register has no address and, in LLDB, no length. What is behind the @ is its offset.
    if (named !== undefined && type.endsWith("[]") && /^0x[\da-f]{1,3}$/.test(named)) return undefined
    if (named !== undefined && /^0x[\da-f]+$/.test(named)) return named
    const isEmpty = text === "" || emptyText.test(text) || emptyPreview.test(text)
    const isPartial = text.startsWith("{") && text.includes("<cannot access memory")
    if ((!isEmpty && !isPartial) || frame === undefined || expression === undefined) return undefined
    return yield* addressOf(expression, frame)
  })

  /** Replaces the empty texts in a preview that are those of pointers to unreadable memory. */
  const previewed = Effect.fnUntraced(function* (value: Backend.Value) {
    if (value.handle === 0 || !/[\w$]:(?:u8|[uUL])?""/.test(value.value)) return value
    const members = yield* children(value.handle, 0, maxPreviewed).pipe(
      Effect.catchTag("AdapterError", () => Effect.succeed([]))
    )
    const wrong = new Set<string>()
    for (const { name, value: text } of members) {
      const member = pointerOf(text)
      if (member === undefined || !emptyText.test(member.target)) continue
      if (!(yield* isReadable(member.address))) wrong.add(name)
    }
    const text = value.value.replaceAll(emptyMember, (found, before: string, name: string) =>
      wrong.has(name) ? `${before}${name}:<cannot access memory>` : found
    )
    return { ...value, value: text }
  })

  const checked = (found: Backend.Value, frame: number | undefined) =>
    Effect.flatMap(checkedItself(found, frame), previewed)

  const checkedItself = Effect.fnUntraced(function* (found: Backend.Value, frame: number | undefined) {
    const value = reworded(found)
    // LLDB would list elements of one byte each, or those of another length.
    if (value.value === unknownSize) return closed(value)
    const failed = frame === undefined ? undefined : targetOf(value)
    if (failed !== undefined && !(yield* isOwnMemory(value, failed, frame))) {
      return marked(value, `${failed} <cannot access memory>`)
    }
    const target = pointerOf(value.value)
    if (target !== undefined) return yield* pointer(value, target, frame === undefined)
    const address = yield* suspect(value, frame)
    if (address !== undefined && !(yield* isReadable(address))) return marked(value, reason(short(address)))
    return value
  })

  const unreadable = (command: string, detail: string) =>
    Effect.fail(new Errors.AdapterError({ command, detail, reason: "unreadable" }))

  return {
    // The frame's own memory is readable; its pointers and references may be wrong.
    locals: (frame) =>
      Effect.flatMap(locals(frame), (values) =>
        Effect.forEach(values, (value) =>
          checked(value, /[*&](?: ?const)?$/.test(value.type ?? "") ? frame : undefined)
        )
      ),

    children: Effect.fnUntraced(function* (handle, start, count) {
      const found = yield* children(handle, start, count)
      const values = yield* Effect.forEach(found, (value) => checked(value, undefined))
      const isUnreadable = ({ attributes = [] }: Backend.Value) => attributes.includes("unreadable")
      const first = values.find((value) => isUnreadable(value) && value.value.startsWith("<cannot access"))
      if (first === undefined) return values
      // Members without an error of their own look empty in memory that is not readable.
      const isEmpty = ({ value }: Backend.Value) => emptyText.test(value) || emptyPreview.test(value) || value === ""
      if (!values.every((value) => isUnreadable(value) || isEmpty(value) || value.value.includes("<cannot access"))) {
        return values
      }
      return yield* unreadable("variables", first.value.replace(/^<(.*)>$/, "$1"))
    }),

    evaluate: Effect.fnUntraced(function* (expression, frame, how, within) {
      const [, container = "", operator] = containerCall.exec(expression) ?? []
      if (how === "read" && operator !== undefined) {
        const address = yield* addressOf(operator === "." ? container : `*${container}`, frame)
        if (address !== undefined && !(yield* isReadable(address))) {
          return yield* unreadable("evaluate", `cannot access memory at ${short(address)}`)
        }
      }
      const found = yield* evaluate(expression, frame, how, within).pipe(
        Effect.catchTag("AdapterError", (error) =>
          Effect.gen(function* () {
            if (!failedExpression.test(error.detail)) return yield* Effect.fail(error)
            const address = yield* addressOf(expression, frame)
            return yield* unreadable(
              error.command,
              `cannot access memory${address === undefined ? "" : ` at ${short(address)}`}`
            )
          })
        )
      )
      const value = yield* checked(found, how === "read" || Expression.onlyReads(expression) ? frame : undefined)
      const isWhole = value.attributes?.includes("unreadable") === true && value.value.startsWith("<cannot access")
      return isWhole ? yield* unreadable("evaluate", value.value.replace(/^<(.*)>$/, "$1")) : value
    })
  }
}
