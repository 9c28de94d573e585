/**
 * Calls of operations over HTTP.
 */
import type { Answer, Data, Failure, Input, Outcome, Tag } from "./Answers.ts"

/** Calls operations with a token. `onRefused` is called when the token is not valid. */
export interface Calls {
  readonly call: <T extends Tag>(tag: T, input: Input<T>, signal?: AbortSignal) => Promise<Outcome<Data<T>>>
}

/** The failure of a call that did not reach the server. */
const unreachable: Failure = { code: "UNREACHABLE", message: "The server does not answer.", details: {} }

/** The failure of a call that was cancelled by the page. */
const cancelled: Failure = { code: "CANCELLED", message: "Cancelled.", details: {} }

/** Makes the calls of a token. */
export const make = (token: string, onRefused: () => void): Calls => ({
  call: async <T extends Tag>(tag: T, input: Input<T>, signal?: AbortSignal): Promise<Outcome<Data<T>>> => {
    try {
      const response = await fetch(`/v1/${tag.replaceAll(".", "/")}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
        ...(signal === undefined ? {} : { signal })
      })
      if (response.status === 401) onRefused()
      const body: ({ readonly ok: true } & Answer<Data<T>>) | { readonly ok: false; readonly error: Failure } =
        await response.json()
      return body.ok ? { ok: true, answer: body } : { ok: false, failure: body.error }
    } catch {
      return { ok: false, failure: signal?.aborted === true ? cancelled : unreachable }
    }
  }
})
