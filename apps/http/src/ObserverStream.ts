/**
 * `POST /v1/stream`: one stream for an observer, as newline-separated JSON or as server-sent events.
 *
 * The id of a server-sent event says where to continue: name, identity of the session and number, `default@k3f9a=32&web@b2x=7`. A
 * client sends the last one back as `Last-Event-ID`. The reader sets the pace: a line is made when it is read.
 */
import { Effect, Option, Ref, Result, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { Caller, Envelope, Errors, Feed, Hint } from "@sigtrap/protocol"
import * as HintText from "./HintText.ts"
import * as Replies from "./Replies.ts"

/** The media types of a stream. */
const ndjson = "application/x-ndjson"
const eventStream = "text/event-stream"

const encoder = new TextEncoder()

/** The JSON of lines, so that many observers share one. */
const documents = new WeakMap<Feed.Line, string>()

const jsonOf = (line: Feed.Line): string => {
  const text = documents.get(line) ?? JSON.stringify(line)
  documents.set(line, text)
  return text
}

/** Reads a session that is followed. */
const followed = Schema.decodeUnknownOption(Feed.Followed)

/** Returns the cursors of an id; undefined for an id of another server. */
const cursorsOf = (text: string): Feed.Cursors | undefined => {
  const pairs = text.split("&").map((pair) => /^([^@=]+)(?:@([^=]+))?=(\d{1,15})$/.exec(pair))
  const entries = pairs.flatMap((pair) => {
    if (pair === null) return []
    const [, session, id, next] = pair
    const cursor = followed({ session, since: Number(next), ...(id === undefined ? {} : { id }) })
    return Option.isNone(cursor)
      ? []
      : [[cursor.value.session, { next: Number(next), ...(id === undefined ? {} : { id }) }] as const]
  })
  return entries.length === pairs.length ? new Map(entries) : undefined
}

/** Returns the id of cursors. A session of which nothing was sent has no number. */
const idOf = (cursors: Feed.Cursors): string =>
  [...cursors]
    .flatMap(([name, { id, next }]) =>
      next === undefined ? [] : [`${name}${id === undefined ? "" : `@${id}`}=${next}`]
    )
    .join("&")

/** Returns a request that continues after the last event that the client has. */
const continued = (request: Feed.Request, lastEventId: string | undefined): Feed.Request => {
  const cursors = lastEventId === undefined ? undefined : cursorsOf(lastEventId)
  if (cursors === undefined || request.follow === undefined) return request
  const follow = request.follow.map((one) => {
    const { next, ...identity } = cursors.get(one.session) ?? {}
    if (next === undefined) return one
    return { ...one, ...identity, since: next, ...(one.output === undefined ? {} : { output: next }) }
  })
  return { ...request, follow }
}

const invalid = (problem: string) =>
  new Errors.Usage({
    problem,
    near: [],
    remedies: [Hint.remedy('send {"sessions":true,"follow":[{"session":"default"}]}')]
  })

/** Reads the body of a request. */
const read = (body: unknown): Result.Result<Feed.Request, Errors.Usage> =>
  Result.mapError(Schema.decodeUnknownResult(Feed.Request)(body), (error) =>
    invalid(`the request of the stream cannot be read: ${String(error.message).split("\n")[0] ?? ""}`)
  )

/** Writes each line in the form of the media type. */
const written = (lines: Stream.Stream<Feed.Line>, isEventStream: boolean, request: Feed.Request) => {
  if (!isEventStream) return Stream.map(lines, (line) => `${jsonOf(line)}\n`)
  const first: Feed.Cursors = new Map(
    (request.follow ?? []).flatMap(({ id, session, since: next }) =>
      next === undefined ? [] : [[session, { next, ...(id === undefined ? {} : { id }) }] as const]
    )
  )
  return Stream.mapAccum(
    lines,
    () => first,
    (cursors, line) => {
      const next = Feed.after(cursors, line)
      const id = idOf(next)
      return [next, [`${id === "" ? "" : `id: ${id}\n`}event: ${line.type}\ndata: ${jsonOf(line)}\n\n`]] as const
    }
  )
}

/** Answers a request for the stream. `closing` completes with the reason when the stream must end; its last line has it. */
export const respond = (
  body: unknown,
  requestHeaders: { readonly [name: string]: string | undefined },
  closing: Effect.Effect<string>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, Feed.Feed> =>
  Effect.gen(function* () {
    const request = continued(yield* Effect.fromResult(read(body)), requestHeaders["last-event-id"])
    const feed = yield* Feed.Feed
    const isEventStream = (requestHeaders["accept"] ?? "").includes(eventStream)
    const ended = (why: string): Feed.Line => ({ type: "end", reason: why })
    const reason = yield* Ref.make("the server stops")
    const lines = feed.lines(request).pipe(
      Stream.catch((error) => Stream.succeed(ended(Envelope.failure(error, HintText.write).error.message))),
      Stream.interruptWhen(Effect.tap(closing, (why) => Ref.set(reason, why))),
      Stream.concat(Stream.fromEffect(Effect.map(Ref.get(reason), ended)))
    )
    const caller = yield* Caller.Current
    const bytes = written(lines, isEventStream, request).pipe(
      // Lines that were gathered are sent together.
      Stream.chunks,
      Stream.map((texts) => encoder.encode(texts.join(""))),
      Stream.provideService(Caller.Current, caller)
    )
    return HttpServerResponse.stream(bytes, {
      contentType: isEventStream ? eventStream : ndjson,
      headers: { ...Replies.headers, "x-accel-buffering": "no" }
    })
  }).pipe(Effect.catch((error) => Effect.succeed(Replies.failed(error))))
