/**
 * The resources: sessions with state, events, output, threads, frames, breakpoints and source; simulators; the schema of
 * each operation. `current` in a URI is the current session.
 *
 * URIs and names contain no text of a program. Such text in the contents is sanitised, and in plain text it is between
 * marks.
 */
import { Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { type Answer, type Client, Errors, Operations, OutputPage, Payload } from "@sigtrap/protocol"
import * as MissingResource from "./MissingResource.ts"
import * as ResourceUri from "./ResourceUri.ts"
import { type Completions, sessionField } from "./Completions.ts"
import * as OperationSchemas from "../tools/OperationSchemas.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import * as ToolResult from "../results/ToolResult.ts"
import * as ResultText from "../results/ResultText.ts"

const json = (uri: string, data: unknown): typeof McpSchema.ReadResourceResult.Type => ({
  contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }]
})

const plain = (uri: string, text: string): typeof McpSchema.ReadResourceResult.Type => ({
  contents: [{ uri, mimeType: "text/plain", text }]
})

/** Returns a cut without its hints: they are calls of tools, which a reader of resources may not have. */
const withoutHints = ({ path, shown, total }: Answer.Truncation) => ({
  path,
  shown,
  ...(total === undefined ? {} : { total })
})

const session = McpSchema.param("session", Schema.String)

/** True if what an operation names does not exist, such as a session, a thread or a breakpoint. */
const isNotFound = (error: { readonly _tag: string }): boolean => Errors.meta(error).httpApiStatus === 404

/** Registers the resources. */
export const layer = (client: Client.Client["Service"], caller: Payload.Caller, complete: Completions) => {
  /** Calls an operation; an error becomes one line of text. */
  const read = Effect.fnUntraced(function* (tag: string, fields: Keywords) {
    const operation = Operations.find(tag)
    if (operation === undefined) return yield* Effect.fail(new Error(`no operation ${tag}`))
    return yield* Payload.decode(operation, Payload.fill(operation, fields, caller)).pipe(
      Effect.flatMap((payload) => client.callAny(operation, payload)),
      Effect.map((answer) => ({ operation, answer })),
      Effect.catch((error) => {
        const reason = ResultText.line(error.message)
        return isNotFound(error) ? MissingResource.fail(reason) : Effect.fail(new Error(reason))
      })
    )
  })

  const data = (uri: string, tag: string, fields: Keywords) =>
    Effect.map(read(tag, fields), ({ answer: { truncated, warnings: _, ...answer } }) => {
      const cuts = truncated.map(withoutHints)
      return json(uri, ResultText.clean(cuts.length === 0 ? answer : { ...answer, truncated: cuts }))
    })

  const text = Effect.fnUntraced(function* (uri: string, tag: string, fields: Keywords) {
    const { answer, operation } = yield* read(tag, fields)
    const call = { directory: caller.directory, input: fields, profile: "default" } as const
    const { text: shown, whole = shown } = ResultText.render(operation, answer, call)
    return plain(uri, yield* ToolResult.fence(whole))
  })

  const output = (uri: string, name: string, since: number | string) =>
    Effect.flatMap(read("output", { ...sessionField(name), since }), ({ answer }) => {
      const page = OutputPage.of(answer.data)
      if (page === undefined) return Effect.fail(new Error("the answer of output is not a page"))
      const { dropped, text: written, truncated } = page
      const next = OutputPage.nextOf(page)
      const more = truncated === true ? { truncated } : {}
      return Effect.succeed(
        json(
          uri,
          ResultText.clean({ session: name, state: answer.state, since, next, ...more, dropped, text: written })
        )
      )
    })

  const number = <const Name extends string>(name: Name) => McpSchema.param(name, Schema.FiniteFromString)
  const resource = McpServer.resource
  const sessions = { session: complete.sessions }

  return Layer.mergeAll(
    resource({
      uri: ResourceUri.sessions,
      name: "sessions",
      description: "All sessions with their state; one is current",
      mimeType: "application/json",
      content: data(ResourceUri.sessions, "sessions", {})
    }),
    resource({
      uri: ResourceUri.simulators,
      name: "simulators",
      description: "All simulators of this machine",
      mimeType: "application/json",
      content: data(ResourceUri.simulators, "sim.list", {})
    }),
    resource({
      uri: ResourceUri.operations,
      name: "operations",
      description: "All operations with their summary and tier",
      mimeType: "application/json",
      content: Effect.sync(() =>
        json(
          ResourceUri.operations,
          Operations.all.map((operation) => {
            const { operation: name, summary, tier } = OperationSchemas.document(operation)
            return { operation: name, summary, tier }
          })
        )
      )
    }),
    resource`sigtrap://operations/${McpSchema.param("operation", Schema.String)}`({
      name: "operation",
      description: "Input and output of an operation: JSON Schema, examples, errors",
      mimeType: "application/json",
      completion: { operation: complete.operations },
      content: (uri, name) => {
        const operation = Operations.find(name)
        return operation === undefined
          ? MissingResource.fail(`no operation has this name; see ${ResourceUri.operations}`)
          : Effect.succeed(
              json(uri, { ...OperationSchemas.document(operation), output: OperationSchemas.output(operation) })
            )
      }
    }),
    resource`sigtrap://sessions/${session}`({
      name: "state",
      description: "The status of a session",
      mimeType: "application/json",
      completion: sessions,
      content: (uri, name) => data(uri, "status", sessionField(name))
    }),
    resource`sigtrap://sessions/${session}/transcript`({
      name: "transcript",
      description: "The events of a session, oldest first",
      mimeType: "text/plain",
      completion: sessions,
      content: (uri, name) => text(uri, "events", { ...sessionField(name), limit: 1000 })
    }),
    resource`sigtrap://sessions/${session}/output`({
      name: "output",
      description: "The oldest output of the program; next is the cursor of the rest",
      mimeType: "application/json",
      completion: sessions,
      content: (uri, name) => output(uri, name, 0)
    }),
    resource`sigtrap://sessions/${session}/output/${McpSchema.param("since", Schema.String)}`({
      name: "output since",
      description: "The output of the program since a cursor, the next of an earlier answer",
      mimeType: "application/json",
      completion: sessions,
      content: (uri, name, since) => output(uri, name, /^\d{1,15}$/.test(since) ? Number(since) : since)
    }),
    resource`sigtrap://sessions/${session}/threads/${number("thread")}`({
      name: "thread",
      description: "The call stack of a thread",
      mimeType: "application/json",
      completion: { ...sessions, thread: (input, before) => numbers(complete.threads(input, before)) },
      content: (uri, name, thread) => data(uri, "backtrace", { ...sessionField(name), thread })
    }),
    resource`sigtrap://sessions/${session}/frames/${number("frame")}`({
      name: "frame",
      description: "The local variables of a frame",
      mimeType: "application/json",
      completion: { ...sessions, frame: (input, before) => numbers(complete.frames(input, before)) },
      content: (uri, name, frame) => data(uri, "locals", { ...sessionField(name), frame })
    }),
    resource`sigtrap://sessions/${session}/breakpoints/${number("breakpoint")}`({
      name: "breakpoint",
      description: "The details of a breakpoint",
      mimeType: "application/json",
      completion: { ...sessions, breakpoint: (input, before) => numbers(complete.breakpoints(input, before)) },
      content: (uri, name, id) => data(uri, "breakpoint.info", { ...sessionField(name), id })
    }),
    resource`sigtrap://sessions/${session}/source/${McpSchema.param("file", Schema.String)}`({
      name: "source",
      description: "A source file of the program",
      mimeType: "text/plain",
      completion: { ...sessions, file: complete.files },
      content: (uri, name, file) => text(uri, "source", { ...sessionField(name), at: `${file}:1`, whole: true })
    })
  ).pipe(Layer.provide(MissingResource.middleware.layer))
}

const numbers = (names: Effect.Effect<ReadonlyArray<string>>) => Effect.map(names, (found) => found.map(Number))
