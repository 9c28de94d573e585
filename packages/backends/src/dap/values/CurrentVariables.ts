/**
 * Reads variables again after a change, under an adapter with the quirk `copiesScopes`: the variables of its scopes are a copy that
 * V8 made at the stop (Chrome DevTools Protocol, `Debugger.Scope`), so an assignment by an expression does not show.
 *
 * One expression reads all of them by their names. A name of a variable runs no code of the program.
 */
import { Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The parts of a connection that this module uses. */
export interface Options {
  /** The adapter has the quirk. */
  readonly isNeeded: boolean
  readonly client: Client.Client
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  /** Returns all children of a value. */
  readonly children: (handle: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
}

/** The text for a variable that has no value yet, or that V8 does not keep for the function. */
const absent = "sigtrap: no value"

const isName = (name: string): boolean => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) && name !== "this"

const present = Effect.fnUntraced(function* (
  { children, client, failed }: Options,
  values: ReadonlyArray<Backend.Value>,
  frameId: number
) {
  const names = values.flatMap(({ name }) => (isName(name) ? [name] : []))
  if (names.length === 0) return values
  const items = names.map((name) => `(() => { try { return ${name} } catch { return "${absent}" } })()`)
  const { variablesReference = 0 } = yield* client
    .request(Requests.Evaluate, { expression: `[${items.join(", ")}]`, frameId, context: "watch" })
    .pipe(Effect.mapError(failed))
  const found = new Map((yield* children(variablesReference)).map((value) => [value.name, value]))
  return values.map((value) => {
    const index = names.indexOf(value.name)
    const now = index === -1 ? undefined : found.get(`${index}`)
    if (now === undefined || now.value.includes(absent)) return value
    return { ...now, name: value.name, expression: value.expression ?? value.name }
  })
})

/** Makes the reader of a connection. */
export const make = (options: Options) => {
  let isChanged = false
  return {
    /** Notes whether the variables may have changed at this stop. */
    note: (changed: boolean): void => {
      isChanged = changed && options.isNeeded
    },
    /** Returns the variables of a frame with their current values. Those that cannot be read by name stay as they are. */
    read: (frame: number) => (values: ReadonlyArray<Backend.Value>) =>
      isChanged ? present(options, values, frame) : Effect.succeed(values)
  }
}
