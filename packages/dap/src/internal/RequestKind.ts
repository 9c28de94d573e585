/**
 * A kind of request: its command, the capability that it needs, the decoder of its response.
 */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Capability } from "../Capabilities.ts"
import * as ListedBody from "./ListedBody.ts"

/** A kind of request. */
export interface Request<in Args, out Body> {
  readonly command: string
  /** The required capability; absent if every adapter supports the request. */
  readonly capability?: Capability
  /** The schema of the response body. */
  readonly body: Schema.Decoder<Body>
  /** Decodes a response body; an absent one counts as an empty object. */
  readonly decode: (body: unknown) => Result.Result<Body, Schema.SchemaError>
  /** Decodes the body of the response to a request with these arguments, and at most the items that it asked for. */
  readonly read: (body: unknown, args: Args | undefined) => Effect.Effect<ListedBody.Read<Body>, Schema.SchemaError>
  /** Carries the type of the arguments; never set. */
  readonly "~args"?: (args: Args) => void
}

/** Makes a kind of request. */
export const make = <Args, Body>(
  command: string,
  body: Schema.Decoder<Body>,
  capability?: Capability
): Request<Args, Body> => {
  const decodeBody = Schema.decodeUnknownResult(body)
  const decode = (value: unknown) => decodeBody(value ?? {})
  return {
    command,
    body,
    decode,
    read: (value) => Effect.map(Effect.fromResult(decode(value)), (decoded) => ({ body: decoded, left: 0 })),
    ...(capability === undefined ? {} : { capability })
  }
}

/** Limits the list in the body of a response. */
export const limited = <Args, Body>(
  request: Request<Args, Body>,
  options: Omit<ListedBody.Options<Args, Body>, "decode">
): Request<Args, Body> => ({ ...request, read: ListedBody.reader({ ...options, decode: request.decode }) })

/** Makes a kind of request with these arguments. */
export const takes =
  <Args>() =>
  <Body>(command: string, body: Schema.Decoder<Body>, capability?: Capability) =>
    make<Args, Body>(command, body, capability)
