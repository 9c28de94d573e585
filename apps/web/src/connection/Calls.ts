/**
 * Calls of operations over HTTP.
 */
import type { Answer, Data, Failure, Input, Outcome, Tag } from "./Answers.ts"

/** Calls operations with a token. `onRefused` is called when the token is not valid. */
export interface Calls {
  readonly call: <T extends Tag>(tag: T, input: Input<T>, signal?: AbortSignal) => Promise<Outcome<Data<T>>>
  /** Asks for a one-time code with which another page may observe a session. */
  readonly link: (session: string) => Promise<Outcome<Link>>
}

/** A one-time code, and when it ends, in milliseconds since 1970. */
interface Link {
  readonly code: string
  readonly expires: number
}

/** The failure of a call that did not reach the server. */
const unreachable: Failure = { code: "UNREACHABLE", message: "The server does not answer.", details: {} }

/** The failure of a call that was cancelled by the page. */
const cancelled: Failure = { code: "CANCELLED", message: "Cancelled.", details: {} }

/** Makes the calls of a token. */
export const make = (token: string, onRefused: () => void): Calls => {
  const post = async <D>(path: string, input: unknown, signal?: AbortSignal): Promise<Outcome<D>> => {
    try {
      const response = await fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
        ...(signal === undefined ? {} : { signal })
      })
      if (response.status === 401) onRefused()
      const body: ({ readonly ok: true } & Answer<D>) | { readonly ok: false; readonly error: Failure } =
        await response.json()
      return body.ok ? { ok: true, answer: body } : { ok: false, failure: body.error }
    } catch {
      return { ok: false, failure: signal?.aborted === true ? cancelled : unreachable }
    }
  }
  return {
    call: (tag, input, signal) => post(`/v1/${tag.replaceAll(".", "/")}`, input, signal),
    link: (session) => post("/v1/page/link", { session })
  }
}
