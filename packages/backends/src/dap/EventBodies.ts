/** Decodes the bodies of events (DAP). A body of another shape is ignored. */
import * as Result from "effect/Result"

/** Calls `use` with the body of an event if it has the event's shape. */
export const decode = <A>(
  event: { readonly decode: (body: unknown) => Result.Result<A, unknown> },
  body: unknown,
  use: (body: A) => void
): void => {
  Result.map(event.decode(body), use)
}
