/**
 * Splits standard input into messages, one a line. A line that is not JSON, is not a message, is too long or too deep, has an id
 * of another type or too long a URI, or subscribes to too many resources, is answered with an error of JSON-RPC and goes no
 * further: the library would drop the messages that arrived with it.
 */
import { Option, Predicate, Result } from "effect"
import { SubscriptionLimit, uriProblem } from "./SubscriptionLimit.ts"

/** Most characters of a message. */
const longest = 16 * 1024 * 1024

/** Most levels of lists and objects in a message. */
const deepest = 256

const tooDeep = `the message has more than ${deepest} levels`

const parse = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

const codes = { notJson: -32700, refused: -32600, wrongFields: -32602 }

/** A line: a message for the server as text and as the value of its JSON, or an answer that refuses it. */
export type Line =
  | { readonly _tag: "Message"; readonly text: string; readonly message: unknown }
  | { readonly _tag: "Answer"; readonly text: string }

const refusal = (code: number, message: string, id: unknown = null): Line => ({
  _tag: "Answer",
  text: `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`
})

/** Returns the levels of lists and objects in a JSON text. */
const depthOf = (text: string): number => {
  let depth = 0
  let most = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at)
    if (inString) {
      if (letter === 0x5c) at += 1
      else if (letter === 0x22) inString = false
    } else if (letter === 0x22) inString = true
    else if (letter === 0x7b || letter === 0x5b) most = Math.max(most, (depth += 1))
    else if (letter === 0x7d || letter === 0x5d) depth -= 1
  }
  return most
}

const idOf = (message: unknown): unknown => {
  const id = Predicate.isReadonlyObject(message) ? message["id"] : undefined
  return Predicate.isString(id) || Predicate.isNumber(id) ? id : null
}

/**
 * Returns what is wrong with a message as a whole. The library has no answer to a value that is not a message, and answers a
 * request with another id than its own.
 */
const shapeProblem = (message: unknown): string | undefined => {
  if (Array.isArray(message)) return undefined
  if (!Predicate.isReadonlyObject(message)) return "the message is not an object"
  if (!("method" in message) || !("id" in message)) return undefined
  const { id } = message
  return Predicate.isString(id) || (Predicate.isNumber(id) && Number.isFinite(id))
    ? undefined
    : "id is neither a text nor a number"
}

/** Returns the error for a body with too many levels; undefined for any other. The library reads a message by recursion. */
export const depthRefusal = (text: string): object | undefined => {
  if (depthOf(text) <= deepest) return undefined
  const id = Result.match(parse(text), { onFailure: () => null, onSuccess: idOf })
  return { jsonrpc: "2.0", id, error: { code: codes.refused, message: tooDeep } }
}

const lineOf = (text: string, subscriptions: SubscriptionLimit): Option.Option<Line> => {
  if (text.trim() === "") return Option.none()
  const parsed = parse(text)
  if (Result.isFailure(parsed)) return Option.some(refusal(codes.notJson, "the line is not JSON"))
  const message = parsed.success
  if (depthOf(text) > deepest) {
    return Option.some(refusal(codes.refused, tooDeep, idOf(message)))
  }
  const shape = shapeProblem(message)
  if (shape !== undefined) return Option.some(refusal(codes.refused, shape))
  const problem = uriProblem(message) ?? subscriptions.note(message)
  return Option.some(
    problem === undefined
      ? { _tag: "Message", text: `${text}\n`, message }
      : refusal(codes.wrongFields, problem, idOf(message))
  )
}

/** The lines of one input. */
export class InputLines {
  readonly #decoder = new TextDecoder()
  readonly #subscriptions: SubscriptionLimit
  #pieces: Array<string> = []
  #length = 0
  readonly #longest: number

  constructor(most = longest, subscriptions = new SubscriptionLimit()) {
    this.#longest = most
    this.#subscriptions = subscriptions
  }

  /** Takes bytes; returns the lines that they complete. */
  take(bytes: Uint8Array): ReadonlyArray<Line> {
    const [first = "", ...rest] = this.#decoder.decode(bytes, { stream: true }).split("\n")
    this.#add(first)
    return rest.flatMap((next) => {
      const line = this.#end()
      this.#add(next)
      return Option.toArray(line)
    })
  }

  /** Adds a piece of the current line; of a line that is too long only its length is kept. */
  #add(piece: string): void {
    this.#length += piece.length
    if (this.#length > this.#longest) this.#pieces = []
    else this.#pieces.push(piece)
  }

  #end(): Option.Option<Line> {
    const text = this.#pieces.join("")
    const isLong = this.#length > this.#longest
    this.#pieces = []
    this.#length = 0
    return isLong
      ? Option.some(refusal(codes.refused, `the message has more than ${this.#longest} characters`))
      : lineOf(text, this.#subscriptions)
  }
}
