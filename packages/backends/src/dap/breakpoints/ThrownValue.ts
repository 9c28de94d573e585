/**
 * The value that a program of JavaScript threw: the exceptions that it names as its cause (`error.cause`), and those in it
 * (`AggregateError`).
 *
 * No variable of a frame has the thrown value, and DAP lists no members of it. js-debug opens a connection to the inspector of the program at a
 * port of the loopback address with a random path (its request `requestCDPProxy`). There it repeats the last `Debugger.paused`, which
 * names the value. `Runtime.getProperties` reads its members and calls no getter.
 */
import { Requests, type Client } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"

/** A `RemoteObject` of the protocol of V8's inspector. */
const Remote = Schema.Struct({
  type: Schema.String,
  subtype: Schema.optionalKey(Schema.String),
  className: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.Unknown),
  unserializableValue: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  objectId: Schema.optionalKey(Schema.String),
  preview: Schema.optionalKey(
    Schema.Struct({
      overflow: Schema.optionalKey(Schema.Boolean),
      properties: Schema.Array(
        Schema.Struct({ name: Schema.String, type: Schema.String, value: Schema.optionalKey(Schema.String) })
      )
    })
  )
})
type Remote = typeof Remote.Type

const decodeMessage = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Struct({
      id: Schema.optionalKey(Schema.Int),
      method: Schema.optionalKey(Schema.String),
      params: Schema.optionalKey(Schema.Struct({ data: Schema.optionalKey(Remote) })),
      result: Schema.optionalKey(
        Schema.Struct({
          result: Schema.optionalKey(
            Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(Remote) }))
          )
        })
      )
    })
  )
)

const decodeProxy = Schema.decodeUnknownEffect(
  Schema.Struct({ host: Schema.String, port: Schema.Int, path: Schema.String })
)

/** Time for reading a thrown value. A report without its causes is better than a late one. */
const timeout = "1 second"

/** Most exceptions that are read, most of one list that are shown, and most characters of each. */
const most = 64
const mostShown = 8
const mostText = 300

/** Returns the first and the last exceptions of a long list, and how many are between them: the last cause is the first that was thrown. */
const shortened = (all: ReadonlyArray<Backend.RaisedException>): ReadonlyArray<Backend.RaisedException> =>
  all.length <= mostShown
    ? all
    : [...all.slice(0, 5), { text: `${all.length - 7} more exceptions`, omitted: all.length - 7 }, ...all.slice(-2)]

/** Levels of groups in groups that are read. */
const mostLevels = 3

/** A line of a stack of V8, in a file: `at f [as g] (/src/a.js:3:9)`, `at async file:///src/a.mjs:3:9`. */
const stackLine =
  /^ {4}at (?:async )?(?:(?<name>\S[^([]*?)(?: \[as [^\]]+\])? \()?(?:file:\/\/)?(?<file>\/[^():%]+):(?<line>\d+):\d+\)?$/

/** Returns the first place in a file of the stack of an error. */
const placeIn = (stack: ReadonlyArray<string>): Omit<Backend.RaisedException, "text"> => {
  for (const text of stack) {
    const { file, line, name } = stackLine.exec(text)?.groups ?? {}
    // V8 names the top level of a module of CommonJS `Object.<anonymous>`.
    const own = name?.replace(/^Object\.(?=<anonymous>$)/, "") ?? "<anonymous>"
    if (file !== undefined) return { function: own, file, line: Number(line) }
  }
  return {}
}

const previewOf = ({ description = "", preview }: Remote): string => {
  if (preview === undefined || preview.properties.length === 0 || description.startsWith("Array(")) return description
  const shown = preview.properties
    .slice(0, 3)
    .map(({ name, type, value = "…" }) => `${name}: ${type === "string" ? JSON.stringify(value) : value}`)
  const isCut = preview.overflow === true || preview.properties.length > shown.length
  const members = `{${shown.join(", ")}${isCut ? ", …" : ""}}`
  return description === "Object" ? members : `${description} ${members}`
}

/** The names that errors have whose class gives them none. */
const plainName = /^(?:(?:Eval|Range|Reference|Syntax|Type|URI|Aggregate)?Error)\b/

/** Returns the name of the class of an error that inherits the name of another class; undefined for other values. */
const ownClass = ({ className, description = "", subtype }: Remote): string | undefined => {
  const inherited = subtype === "error" ? plainName.exec(description)?.[0] : undefined
  return inherited === undefined || className === undefined || className === inherited ? undefined : className
}

/** Returns a value as an exception: an error with its type, its message and its place; another value as it is. */
const exceptionOf = (remote: Remote): Backend.RaisedException => {
  const { description = "", subtype, type, unserializableValue, value } = remote
  if (subtype === "null") return { text: "null" }
  if (subtype === "error") {
    const lines = description.split("\n")
    const end = lines.findIndex((line) => line.startsWith("    at "))
    const said = (end < 0 ? lines : lines.slice(0, end)).join("\n").slice(0, mostText)
    const own = ownClass(remote)
    // As Node writes it: `MyError [Error]: text`.
    const text = own === undefined ? said : said.replace(plainName, (name) => `${own} [${name}]`)
    return { text, ...(end < 0 ? {} : placeIn(lines.slice(end))) }
  }
  const text =
    type === "string"
      ? JSON.stringify(value)
      : type === "object" || type === "function"
        ? previewOf(remote)
        : (unserializableValue ?? (description || String(value)))
  return { text: text.slice(0, mostText) }
}

/** Connects to the inspector of the process of a thread. */
const connect = Effect.fnUntraced(function* (client: Client.Client, request: string, thread: number) {
  const { host, path, port } = yield* decodeProxy(yield* client.request(Requests.raw(request), { threadId: thread }))
  const socket = yield* Socket.makeWebSocket(`ws://${host}:${port}${path}`)
  const pull = yield* Socket.readerString(socket)
  const { write } = yield* socket.writer
  let sent = 0
  let thrown: Remote | undefined
  const ask = Effect.fnUntraced(function* (method: string, params: object) {
    sent += 1
    yield* write(JSON.stringify({ id: sent, method, params }))
    for (;;) {
      for (const text of yield* pull) {
        const message = yield* decodeMessage(text)
        if (message.method === "Debugger.paused") thrown = message.params?.data
        if (message.id === sent) return message.result?.result ?? []
      }
    }
  })
  yield* ask("Debugger.enable", {})
  /** Returns the members of an object itself, without those with a getter. */
  const members = ({ objectId }: Remote) =>
    objectId === undefined
      ? Effect.succeed([])
      : ask("Runtime.getProperties", { objectId, ownProperties: true, generatePreview: true })
  return { members, thrown }
})

type Members = Effect.Success<ReturnType<typeof connect>>["members"]

const memberOf = (all: Effect.Success<ReturnType<Members>>, name: string): Remote | undefined => {
  const value = all.find((one) => one.name === name)?.value
  return value?.type === "undefined" ? undefined : value
}

/** Returns the exceptions in a group; those of groups in it are in their places. */
const grouped = (members: Members, all: Effect.Success<ReturnType<Members>>, level = 1): Grouped =>
  Effect.gen(function* () {
    const list = memberOf(all, "errors")
    if (list?.subtype !== "array") return []
    const found: Array<Backend.RaisedException> = []
    for (const { name, value } of yield* members(list)) {
      if (!/^\d+$/.test(name) || value === undefined) continue
      if (found.length >= most) break
      const inner = value.subtype === "error" && level < mostLevels ? yield* members(value) : []
      const within = yield* grouped(members, inner, level + 1)
      found.push(...(within.length === 0 ? [exceptionOf(value)] : within))
    }
    return level === 1 ? shortened(found) : found
  })

type Grouped = Effect.Effect<
  ReadonlyArray<Backend.RaisedException>,
  Effect.Error<ReturnType<Members>>,
  Effect.Services<ReturnType<Members>>
>

/** Reads the causes of the value that a thread threw, each the cause of the one before, and the exceptions in it. */
export const read = (
  client: Client.Client,
  request: string,
  thread: number
): Effect.Effect<Partial<Pick<Backend.ExceptionDetails, "causedBy" | "id" | "members" | "type">>> =>
  Effect.gen(function* () {
    const { members, thrown } = yield* connect(client, request, thread)
    if (thrown === undefined) return {}
    const own = yield* members(thrown)
    const causes: Array<Backend.RaisedException> = []
    const seen = new Set([JSON.stringify(exceptionOf(thrown))])
    for (let cause = memberOf(own, "cause"); cause !== undefined && causes.length < most;) {
      const one = exceptionOf(cause)
      const key = JSON.stringify(one)
      // An error may be its own cause, through others.
      if (seen.has(key)) break
      seen.add(key)
      causes.push(one)
      cause = cause.subtype === "error" ? memberOf(yield* members(cause), "cause") : undefined
    }
    const inside = thrown.subtype === "error" ? yield* grouped(members, own) : []
    const type = ownClass(thrown)
    return {
      ...(type === undefined ? {} : { id: type, type }),
      ...(causes.length === 0 ? {} : { causedBy: shortened(causes) }),
      ...(inside.length === 0 ? {} : { members: inside })
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(Socket.layerWebSocketConstructorGlobal),
    Effect.timeout(timeout),
    Effect.orElseSucceed(() => ({}))
  )
