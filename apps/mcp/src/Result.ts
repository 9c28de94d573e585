/**
 * What a tool answers with: the envelope as structured content and a short text beside it.
 *
 * Everything that the program or the debugger wrote is data to an agent. It is sanitised, has its own fields, and in
 * the text it stands between marks with a random name that the program cannot guess. It never appears in a title or a
 * hint: hints are put together from the names of tools and their fields alone, where they name one.
 */
import { Effect } from "effect"
import { McpSchema } from "effect/ai"
import { type Answer, Envelope, type Errors, type Operation, Operations, Payload } from "@sigtrap/protocol"
import * as Bounds from "./Bounds.ts"
import * as Text from "./Text.ts"

const mark = Effect.sync(() => crypto.randomUUID().slice(0, 8))

/** Text from outside between marks with a random name. */
const fence = (text: string) =>
  Effect.map(mark, (name) => `<data-${name}> data from the debugged program\n${text.trimEnd()}\n</data-${name}>`)

const result = (text: string, structuredContent: unknown, isError: boolean) =>
  new McpSchema.CallToolResult({
    content: [McpSchema.TextContent.make({ type: "text", text })],
    structuredContent,
    ...(isError ? { isError } : {})
  })

/** The result of an operation that succeeded. */
export const success = Effect.fnUntraced(function* (
  operation: Operation.Any,
  answer: Answer.Answer<unknown>,
  call: Text.Call
) {
  const { ok: _, cmd: __, truncated, ...envelope } = yield* Envelope.success(operation, answer)
  const { data, cuts } = Bounds.fit(Text.clean(envelope.data), "data")
  const text = Text.render(operation, answer, call)
  return result(
    text === "" ? "done" : yield* fence(Bounds.cutText(text, Bounds.readableLimit)),
    { ...envelope, data, warnings: Text.clean(envelope.warnings), truncated: [...truncated, ...cuts] },
    false
  )
})

const toolHint = (hint: string): string | undefined => {
  const words = /^sigtrap (.+)$/s.exec(hint)?.[1]?.split(/\s+/) ?? []
  const [operation] = Operations.all
    .filter(({ _tag }) => _tag.split(".").every((word, index) => words[index] === word))
    .toSorted((a, b) => b._tag.length - a._tag.length)
  if (operation === undefined) return undefined
  const tool = operation._tag.replaceAll(".", "_")
  if (words.includes("--help")) return `see the fields of ${tool}`
  const { properties } = Payload.published(operation)
  const fields = Object.keys(properties).filter((field) => words.includes(`--${field.replaceAll("_", "-")}`))
  return fields.length === 0 ? `call ${tool}` : `call ${tool} with ${fields.join(" and ")}`
}

/** The next step as an agent can take it: a tool's name where the hint is a command that has one. */
const hint = (error: Errors.SigtrapError): string => toolHint(error.hint) ?? Text.line(error.hint)

/**
 * The result of an operation that failed. Running on after the wait is no failure of the call, although it has a code:
 * nothing went wrong and nothing has to be done again.
 */
export const failure = Effect.fnUntraced(function* (error: Errors.SigtrapError, operation: Operation.Any) {
  const envelope = Envelope.failure(error, operation)
  const next = hint(error)
  const message = Bounds.cutText(Text.line(envelope.error.message), Bounds.messageLimit)
  const bounded = Bounds.fit(Text.clean(envelope.error.details), "error.details")
  const title = `${error._tag === "WaitTimeout" ? "running" : "error"} [${envelope.error.code}]`
  return result(
    `${title}\n${yield* fence(message)}\nhint: ${next}`,
    {
      ...(envelope.session === undefined ? {} : { session: envelope.session }),
      ...(envelope.state === undefined ? {} : { state: envelope.state }),
      error: { code: envelope.error.code, message, hint: next, details: bounded.data },
      ...(envelope.data === undefined ? {} : { data: Text.clean(envelope.data) })
    },
    error._tag !== "WaitTimeout"
  )
})
