/**
 * Keeps the results of `tools/list`. The library makes a list anew for each request, which takes milliseconds, although it changes
 * only when tools are hidden or shown again.
 */
import { Predicate } from "effect"
import type { ToolAvailability } from "../calls/ToolAvailability.ts"
import * as Handshake from "../start/Handshake.ts"

/** Most results that are kept, because the parameters are the client's choice. */
const most = 16

/** The methods that matter here. Quotes inside JSON strings are escaped, so no argument of a call matches. */
const concerned = /"method"\s*:\s*"(?:initialize|tools\/list)"/

type Id = string | number

const isId = (value: unknown): value is Id => Predicate.isString(value) || Predicate.isNumber(value)

/** Returns the parameters of a request as a text, without the token of its progress, which does not change the result. */
const textOf = (params: unknown): string => {
  if (!Predicate.isReadonlyObject(params)) return "{}"
  const { _meta: meta, ...rest } = params
  if (!Predicate.isReadonlyObject(meta)) return JSON.stringify(params)
  const { progressToken: _, ...others } = meta
  return JSON.stringify(Object.keys(others).length === 0 ? rest : { ...rest, _meta: others })
}

/** The tool lists of one connection. */
export class ToolLists {
  readonly #known = new Map<string, string>()
  /** The requests that the library answers, and the keys of their results. */
  readonly #waiting = new Map<Id, string>()
  #first: string | undefined
  #availability: ToolAvailability | undefined

  /** `first` is the list that was sent before this server was loaded, for requests without parameters. */
  constructor(first?: string) {
    this.#first = first
  }

  /** Uses the availability of tools, without which no list is kept. */
  readonly follow = (availability: ToolAvailability): void => {
    this.#availability = availability
  }

  /** Returns the line that answers a message, which is JSON, if it is a request for a list that is known. */
  answer(text: string): string | undefined {
    if (!concerned.test(text)) return undefined
    const message: unknown = JSON.parse(text)
    if (!Predicate.isReadonlyObject(message)) return undefined
    const { id, method, params } = message
    if (method === "initialize") this.#restart()
    if (method !== "tools/list" || !isId(id) || this.#availability === undefined) return undefined
    this.#availability.onList()
    const key = `${this.#availability.hidden()}\n${textOf(params)}`
    const known = this.#known.get(key)
    if (known !== undefined) return Handshake.response(id, known)
    this.#waiting.set(id, key)
    return undefined
  }

  /** Notes a message that the library writes. */
  note(text: string): void {
    for (const [id, key] of this.#waiting) {
      const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
      if (!text.startsWith(start)) continue
      this.#waiting.delete(id)
      const result = `${start}"result":`
      if (!text.startsWith(result)) return
      if (this.#known.size >= most) this.#known.clear()
      this.#known.set(key, text.slice(result.length, text.lastIndexOf("}")))
      return
    }
  }

  /** The revision of the protocol, and with it every list, may change. */
  #restart(): void {
    this.#known.clear()
    this.#waiting.clear()
    if (this.#first !== undefined) this.#known.set("\n{}", this.#first)
    this.#first = undefined
  }
}
