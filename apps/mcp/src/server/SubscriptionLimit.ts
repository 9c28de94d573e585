/**
 * Bounds the resources that one client subscribes to, because the library keeps each URI until the client leaves:
 * those of `resources/subscribe`, and from revision 2026-07-28 on those of `subscriptions/listen`, which ends when the client
 * cancels the request.
 */
import { Predicate } from "effect"

/** Most resources that a client subscribes to at the same time. */
const mostResources = 1000

/** Most open requests `subscriptions/listen` of a client. */
const mostListens = 100

/** Most characters of a resource's URI: the server keeps those of subscriptions. */
const longestUri = 8192

const record = (value: unknown) => (Predicate.isReadonlyObject(value) ? value : {})

/** Returns what is wrong with the URI that a message names, such as a request to subscribe; undefined if nothing is. */
export const uriProblem = (message: unknown): string | undefined => {
  const { uri } = record(record(message)["params"])
  return Predicate.isString(uri) && uri.length > longestUri ? `uri has more than ${longestUri} characters` : undefined
}

/** The subscriptions of one client. */
export class SubscriptionLimit {
  readonly #uris = new Set<unknown>()
  readonly #listens = new Map<unknown, number>()
  readonly #most: number

  constructor(most = mostResources) {
    this.#most = most
  }

  /** True if the client subscribes to a resource by `resources/subscribe`. */
  has(uri: string): boolean {
    return this.#uris.has(uri)
  }

  /** Notes what a message or a batch of them subscribes to; returns why it is refused, if it is. */
  note(message: unknown): string | undefined {
    if (Array.isArray(message)) return message.map((one) => this.#noteOne(one)).find((problem) => problem !== undefined)
    return this.#noteOne(message)
  }

  #noteOne(message: unknown): string | undefined {
    const { id, method, params } = record(message)
    const { notifications, requestId, uri } = record(params)
    switch (method) {
      case "resources/subscribe":
        if (!this.#uris.has(uri) && this.#count() >= this.#most) return this.#tooMany()
        this.#uris.add(uri)
        return undefined
      case "resources/unsubscribe":
        this.#uris.delete(uri)
        return undefined
      case "subscriptions/listen": {
        const { resourceSubscriptions: uris } = record(notifications)
        const count = Array.isArray(uris) ? uris.length : 0
        if (this.#count() + count > this.#most) return this.#tooMany()
        if (this.#listens.size >= mostListens)
          return `at most ${mostListens} subscriptions are open at the same time; cancel others first`
        this.#listens.set(id, count)
        return undefined
      }
      case "notifications/cancelled":
        this.#listens.delete(requestId)
        return undefined
      default:
        return undefined
    }
  }

  #count(): number {
    return [...this.#listens.values()].reduce((sum, count) => sum + count, this.#uris.size)
  }

  #tooMany(): string {
    return `a client subscribes to at most ${this.#most} resources at the same time; unsubscribe from others first`
  }
}
