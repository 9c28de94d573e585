/**
 * Assigns to a variable by a request, for adapters that refuse statements in `evaluate`: `setExpression` (DAP), or
 * `setVariable`, which takes the scope or value that contains the variable.
 */
import { type Errors as Dap, Requests, type Client, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import * as CodeCheck from "./CodeCheck.ts"
import * as GlobalScopes from "./GlobalScopes.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  /** Runs a request that may run the program's code. */
  readonly calling: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly quirks: Quirks
}

/** Pointers and interfaces around a value, such as a pointer in an interface. */
const deepest = 3

/** `PARENT.NAME`, `PARENT[INDEX]` or a name alone. */
const memberOf = /^(.+?)(?:\.([A-Za-z_]\w*)|(\[[^[\]]+\]))$/s

/** Makes `assign` of a connection. */
export const make = ({ calling, client, failed, quirks }: Options, by: NonNullable<Quirks["assignsBy"]>) => {
  const byExpression = (expression: string, value: string, frameId: number) =>
    client.request(Requests.SetExpression, { expression, value, frameId })

  /** Assigns to a member of a value. A pointer or interface has its content as its only child. */
  const within = Effect.fnUntraced(function* (container: number, name: string, value: string) {
    let inside = container
    for (let depth = 0; depth < deepest; depth++) {
      const { variables } = yield* client.request(Requests.Variables, { variablesReference: inside })
      const [only, second] = variables
      const content = only?.variablesReference ?? 0
      if (second !== undefined || only?.name === name || content === 0) break
      inside = content
    }
    return yield* client.request(Requests.SetVariable, { variablesReference: inside, name, value })
  })

  const byContainer = Effect.fnUntraced(function* (target: string, value: string, frameId: number) {
    const [, parent, member, element] = memberOf.exec(target) ?? []
    if (parent !== undefined) {
      const { variablesReference } = yield* client.request(Requests.Evaluate, {
        expression: parent,
        frameId,
        context: "watch"
      })
      return yield* within(variablesReference ?? 0, member ?? element ?? "", value)
    }
    const { scopes } = yield* client.request(Requests.Scopes, { frameId })
    const inScope = (scope: Models.Scope | undefined) =>
      client.request(Requests.SetVariable, { variablesReference: scope?.variablesReference ?? 0, name: target, value })
    if (quirks.globalsSetting === undefined) return yield* inScope(scopes[0])
    return yield* Effect.catchTag(inScope(scopes[0]), "RequestFailed", (refused) =>
      Effect.flatMap(GlobalScopes.all({ client, quirks }, frameId), (all) => {
        const globals = all.find(({ name }) => name.startsWith("Globals"))
        return globals === undefined ? Effect.fail(refused) : inScope(globals)
      })
    )
  })

  /** Fails if the assignment runs code of the program, such as a setter, and the caller may not. */
  const checked = (target: string, frameId: number) =>
    CodeCheck.make(quirks, "target", (expression) =>
      client.request(Requests.Evaluate, { expression, context: "watch", frameId }).pipe(
        Effect.mapError(failed),
        Effect.map(({ result }) => result)
      )
    )(target)

  return (target: string, value: string, frame: number) =>
    calling<unknown, Dap.RequestError>(
      (by === "setExpression" ? byExpression : byContainer)(target, value, frame)
    ).pipe(Effect.mapError(failed), Effect.asVoid, (assignment) => Effect.andThen(checked(target, frame), assignment))
}
