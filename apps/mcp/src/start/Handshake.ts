/**
 * The first messages of a client on standard input: `initialize`, `notifications/initialized` and `tools/list`. Their answers are
 * computed when this program is built, so a client gets them before the server is loaded. Imports nothing.
 *
 * The server is loaded afterwards and reads the messages too, so that it has the state of the connection; it does not answer
 * `initialize` a second time. A message that is not certainly the usual one ends the handshake, and the server answers it.
 */

/** Reads a text that was computed at build time, by profile, protocol revision and method. */
export type Texts = (key: string) => string | undefined

/** Returns the key of the result of a method. */
export const keyOf = (profile: string, revision: string, method: "initialize" | "tools/list"): string =>
  `${profile} ${revision} ${method}`

/** What the server must know of a handshake. */
export interface Begun {
  /** What the server reads before the rest of the input. */
  readonly unread: Uint8Array
  /** The id of the request `initialize` that was answered. */
  readonly answered?: string | number
  /** The result of `tools/list` with which the server answers later requests until its list changes. */
  readonly tools?: string
  /** The bytes after the handshake. */
  readonly left: number
  /** True if the input has ended. */
  readonly ended: boolean
}

/** Longest message of a handshake, in characters. */
const LONGEST = 65_536

type Fields = { readonly [field: string]: unknown }

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean"
const isString = (value: unknown): value is string => typeof value === "string"

/** True if an object has these fields only, each of its kind, and the required ones. */
const has = (
  value: unknown,
  fields: { readonly [field: string]: (value: unknown) => boolean },
  required: ReadonlyArray<string> = []
): value is Fields =>
  isObject(value) &&
  required.every((field) => field in value) &&
  Object.entries(value).every(([field, one]) => Object.hasOwn(fields, field) && fields[field]?.(one) === true)

const isEmpty = (value: unknown): boolean => has(value, {})

/** True for the capabilities that every revision reads in the same way. */
const isUsualCapabilities = (value: unknown): boolean =>
  has(value, {
    roots: (roots) => has(roots, { listChanged: isBoolean }),
    sampling: isEmpty,
    elicitation: (kinds) => has(kinds, { form: isEmpty, url: isEmpty })
  })

const isHello = (value: unknown): value is { readonly protocolVersion: string } =>
  has(
    value,
    {
      protocolVersion: isString,
      capabilities: isUsualCapabilities,
      clientInfo: (info) =>
        has(info, { name: isString, version: isString, title: isString, websiteUrl: isString }, ["name", "version"])
    },
    ["protocolVersion", "capabilities", "clientInfo"]
  )

const isId = (value: unknown): value is string | number =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

/** True for the parameters of a list without a cursor. */
const isWhole = (value: unknown): boolean =>
  value === undefined || has(value, { _meta: (meta) => has(meta, { progressToken: isId }) })

const isRequest = (
  value: unknown
): value is { readonly id: string | number; readonly method: string; readonly params?: unknown } =>
  has(value, { jsonrpc: (version) => version === "2.0", id: isId, method: isString, params: isObject }, [
    "jsonrpc",
    "id",
    "method"
  ])

const isInitialized = (value: unknown): boolean =>
  has(
    value,
    {
      jsonrpc: (version) => version === "2.0",
      method: (method) => method === "notifications/initialized",
      params: isEmpty
    },
    ["jsonrpc", "method"]
  )

const parse = (line: string): unknown => {
  try {
    return line.length > LONGEST ? undefined : JSON.parse(line)
  } catch {
    return undefined
  }
}

/** What to do after a message: read the next one, or load the server. A message that is not `taken` is left to the server. */
export interface Step {
  readonly taken: boolean
  readonly answer?: string
  readonly ends: boolean
}

const ends: Step = { taken: false, ends: true }

/** The handshake of one connection. */
export class Handshake {
  readonly #texts: Texts
  readonly #profile: string
  #revision: string | undefined
  /** The messages that the server reads again. */
  #repeated = ""
  #answered: string | number | undefined
  #tools: string | undefined

  constructor(profile: string, texts: Texts) {
    this.#profile = profile
    this.#texts = texts
  }

  /** Takes a message, without its line break. */
  take(line: string): Step {
    const message = parse(line)
    if (this.#revision !== undefined && isInitialized(message)) {
      this.#repeated += `${line}\n`
      return { taken: true, ends: false }
    }
    if (!isRequest(message)) return ends
    if (this.#revision === undefined) return this.#initialize(line, message)
    if (message.method !== "tools/list" || !isWhole(message.params)) return ends
    const tools = this.#texts(keyOf(this.#profile, this.#revision, "tools/list"))
    if (tools === undefined) return ends
    this.#tools = tools
    // The client has what it needs, so the server is loaded now, before the first call of a tool.
    return { taken: true, answer: response(message.id, tools), ends: true }
  }

  /** Returns what the server must know. `rest` is the input that was read and not taken. */
  begun(rest: Uint8Array, ended: boolean): Begun {
    return {
      unread: Buffer.concat([Buffer.from(this.#repeated), rest]),
      ...(this.#answered === undefined ? {} : { answered: this.#answered }),
      ...(this.#tools === undefined ? {} : { tools: this.#tools }),
      left: rest.length,
      ended
    }
  }

  #initialize(
    line: string,
    { id, method, params }: { readonly id: string | number; readonly method: string; readonly params?: unknown }
  ): Step {
    if (method !== "initialize" || !isHello(params)) return ends
    const result = this.#texts(keyOf(this.#profile, params.protocolVersion, "initialize"))
    if (result === undefined) return ends
    this.#revision = params.protocolVersion
    this.#answered = id
    this.#repeated += `${line}\n`
    return { taken: true, answer: response(id, result), ends: false }
  }
}

/** Returns the line of a response, as the server writes it. */
export const response = (id: string | number, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`
