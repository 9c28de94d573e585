/**
 * The three message types of the Debug Adapter Protocol: request, response, event.
 *
 * Only the fields for routing are checked, without a schema because every message is checked here; bodies stay `unknown`
 * until a schema decodes them. The adapter's `seq` is ignored: many adapters send 0 in every message. The order is that
 * of arrival.
 */
import * as Errors from "./Errors.ts"

/** A request of the client, or a reverse request of the adapter. */
export interface Request {
  readonly type: "request"
  readonly command: string
  readonly seq?: number
  readonly arguments?: unknown
}

/** A response to the request whose `seq` is `request_seq`. */
export interface Response {
  readonly type: "response"
  readonly request_seq: number
  readonly success: boolean
  readonly command?: unknown
  readonly seq?: number
  readonly message?: unknown
  readonly body?: unknown
}

/** An event (DAP `Event`). Its body is not decoded. */
export interface Event {
  readonly type: "event"
  readonly event: string
  readonly seq?: number
  /** The body as it was sent. `Events` has the decoder of each kind, such as `Events.Stopped.decode`. */
  readonly body?: unknown
}

/** Any protocol message. */
export type Message = Request | Response | Event

/** The sender of a message. */
export type Direction = "client" | "adapter"

/** Returns whether a JSON value is an object, not an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns whether a JSON value is a protocol message. */
export const isMessage = (value: unknown): value is Message => {
  if (!isRecord(value)) return false
  if (value["seq"] !== undefined && typeof value["seq"] !== "number") return false
  switch (value["type"]) {
    case "event":
      return typeof value["event"] === "string"
    case "response":
      return typeof value["request_seq"] === "number" && typeof value["success"] === "boolean"
    case "request":
      return typeof value["command"] === "string"
    default:
      return false
  }
}

const isKeyword = (text: string) => /^[A-Za-z][A-Za-z0-9]*$/.test(text)

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value : undefined)

const fill = (format: string, variables: unknown) =>
  isRecord(variables)
    ? format.replace(/\{([^{}]+)\}/g, (whole, name: string) =>
        Object.hasOwn(variables, name) ? String(variables[name]) : whole
      )
    : format

/**
 * Returns the error of a response with `success: false`.
 *
 * The text comes from `body.error.format` with its variables, otherwise from `body.message`, otherwise from `message`,
 * unless that is a keyword such as `notStopped`, which becomes the code.
 */
export const failure = (command: string, response: Response): Errors.RequestFailed => {
  const body = isRecord(response.body) ? response.body : {}
  const error = isRecord(body["error"]) ? body["error"] : {}
  const format = text(error["format"])
  const message = text(response.message)
  const code = message !== undefined && isKeyword(message) ? message : undefined
  return new Errors.RequestFailed({
    command,
    text:
      (format === undefined ? undefined : fill(format, error["variables"])) ??
      text(body["message"]) ??
      (code === undefined ? message : undefined) ??
      `${command} failed`,
    ...(code === undefined ? {} : { code }),
    ...(typeof error["showUser"] === "boolean" ? { showUser: error["showUser"] } : {})
  })
}
