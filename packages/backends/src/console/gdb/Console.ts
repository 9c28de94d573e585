/**
 * Runs Python scripts in GDB, for questions that its debug adapter has no request for. Every GDB with an adapter has Python.
 *
 * A script is constant text. Its arguments are passed as JSON, separately from the script. The answer is JSON after a mark,
 * since GDB writes its own messages to the same output. GDB answers only while the program is stopped.
 */
import { Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { adapterError } from "../Failures.ts"
import * as Command from "./Command.ts"
import { failures } from "./Failures.ts"

/** A script with the schema of its answer. `title` names it in messages. */
export interface Script<A> {
  readonly title: string
  readonly text: string
  readonly answer: Schema.Codec<A, unknown>
}

/** Runs scripts. A script reads its arguments from `given` and calls `answer` once. */
export interface Console {
  readonly ask: <A>(script: Script<A>, given: unknown, frame?: number) => Effect.Effect<A, Backend.Failure>
}

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  /** Runs a request that may call functions of the program. */
  readonly calling?: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

const mark = "\u001e"

const prelude = `import gdb, json
def answer(value):
    print("\\x1e" + json.dumps(value))
`

/** Returns the command that runs a script. A JSON string is also a Python string, except for lone surrogates. */
export const line = (script: Pick<Script<unknown>, "text">, given: unknown): string => {
  const json = JSON.stringify(given).toWellFormed()
  return `python exec(${JSON.stringify(prelude + script.text)}, {"given": __import__("json").loads(${JSON.stringify(json)})})`
}

/** Returns GDB's message without the prefixes that Python adds. */
const problem = (text: string): string =>
  text
    .trim()
    .replace(/^Error occurred in Python: /, "")
    .replace(/^Python Exception <class '[\w.]+'>: /, "")

/** Makes the console of one connection. */
export const make = ({ calling = (effect) => effect, client, failed }: Options): Console => ({
  ask: Effect.fnUntraced(function* (script, given, frame) {
    // Some scripts build a command from an argument.
    const refused = Command.refusedIn(given)
    if (refused !== undefined) {
      const detail = `control characters in ${JSON.stringify(refused.slice(0, 80))}`
      return yield* new Errors.AdapterError({ command: script.title, detail })
    }
    const request = client.request(Requests.Evaluate, {
      expression: line(script, given),
      context: "repl",
      ...(frame === undefined ? {} : { frameId: frame })
    })
    const body = yield* calling(request).pipe(
      Effect.mapError(failed),
      Effect.mapError((error) =>
        error._tag === "AdapterError" ? adapterError(failures, script.title, problem(error.detail)) : error
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
