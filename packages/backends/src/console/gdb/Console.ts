/**
 * Questions to GDB that its debug adapter has no request for, asked in the Python that every GDB with an adapter has.
 *
 * A script is constant text; what it is about is handed over as JSON and never becomes a part of it. The answer is JSON
 * behind a mark, since GDB writes into the same text what it thinks of a command. GDB answers only while the program
 * stands still.
 */
import { Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A script with the shape of its answer. `title` names it in messages. */
export interface Script<A> {
  readonly title: string
  readonly text: string
  readonly answer: Schema.Codec<A, unknown>
}

/** Asks GDB; the script finds what it is given as `given` and calls `answer` once. */
export interface Console {
  readonly ask: <A>(script: Script<A>, given: unknown, frame?: number) => Effect.Effect<A, Backend.Failure>
}

/** What is needed of a connection. */
export interface Options {
  readonly client: Client.Client
  /** Around whatever may call functions of the program. */
  readonly calling?: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

const mark = "\u001e"

const prelude = `import gdb, json
def answer(value):
    print("\\x1e" + json.dumps(value))
`

/** The line for GDB's command line. A JSON string is a Python string as well, but for lone surrogates. */
export const line = (script: Pick<Script<unknown>, "text">, given: unknown): string => {
  const json = JSON.stringify(given).toWellFormed()
  return `python exec(${JSON.stringify(prelude + script.text)}, {"given": __import__("json").loads(${JSON.stringify(json)})})`
}

/** GDB's words without the frame that Python puts around them. */
const problem = (text: string): string =>
  text
    .trim()
    .replace(/^Error occurred in Python: /, "")
    .replace(/^Python Exception <class '[\w.]+'>: /, "")

/** The console of one connection. */
export const make = ({ calling = (effect) => effect, client, failed }: Options): Console => ({
  ask: Effect.fnUntraced(function* (script, given, frame) {
    const asked = client.request(Requests.Evaluate, {
      expression: line(script, given),
      context: "repl",
      ...(frame === undefined ? {} : { frameId: frame })
    })
    const body = yield* calling(asked).pipe(
      Effect.mapError(failed),
      Effect.mapError((error) =>
        error._tag === "AdapterError"
          ? new Errors.AdapterError({ command: script.title, detail: problem(error.detail) })
          : error
      )
    )
    const text = body.result.slice(body.result.lastIndexOf(mark) + 1)
    return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(script.answer))(text).pipe(
      Effect.mapError(
        (error) => new Errors.ProtocolError({ detail: `${script.title}: ${error.message}`.slice(0, 400) })
      )
    )
  })
})
