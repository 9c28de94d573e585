/**
 * Variables of a debug adapter: those of a frame, scope by scope, and the children of values, page by page.
 *
 * Which scopes are a frame's own is told by the protocol's hints, except where an adapter's hints say something else.
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as DapValues from "./Values.ts"
import type { Quirks } from "../adapters/Quirks.ts"

/** What is needed of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly quirks: Quirks
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

/** The variables of one connection. */
export interface DapVariables {
  /** A variable as the manager knows it. */
  readonly valueOf: (variable: Models.Variable) => Backend.Value
  /** Whether the protocol's hints at scopes mean what they say. */
  readonly hinted: boolean
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** What a frame sees beside its own; absent when its adapter tells of no such scope. */
  readonly around: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value> | undefined, Backend.Failure>
  readonly children: Backend.Connection["children"]
  /** Forgets what belongs to a stop. */
  readonly forget: () => void
}

/** A page of children, or all of them. */
interface Asked {
  readonly variablesReference: number
  readonly filter?: "indexed"
  readonly start?: number
  readonly count?: number
}

/** The scopes whose variables are a frame's own. */
const ownScopes = (scopes: ReadonlyArray<Models.Scope>, named: Quirks["scopes"]): ReadonlyArray<Models.Scope> => {
  if (named !== undefined) {
    const whole = scopes.some(({ name }) => named.whole.test(name))
    return scopes.filter(({ name }) => named.own.test(name) || (!whole && named.top.test(name)))
  }
  const hinted = scopes.filter((scope) => scope.presentationHint === "locals" || scope.presentationHint === "arguments")
  return hinted.length > 0 ? hinted : scopes.filter((scope) => /^(?:arguments|locals?)\b/i.test(scope.name))
}

/** The first of each name: an inner scope hides what outer ones have. */
const seen = (lists: ReadonlyArray<ReadonlyArray<Backend.Value>>): ReadonlyArray<Backend.Value> => {
  const names = new Set<string>()
  return lists.flat().filter(({ name }) => {
    const first = !names.has(name)
    names.add(name)
    return first
  })
}

/** The variables of a connection. */
export const make = ({ client, failed, quirks }: Options): DapVariables => {
  /** The handles of long arrays, of an adapter that pages through their elements alone. */
  const elements = new Set<number>()
  /** The handles of pointers, of an adapter that shows what is pointed at as their only child. */
  const pointers = new Set<number>()

  const valueOf = (variable: Models.Variable): Backend.Value => {
    const { indexedVariables = 0, variablesReference } = variable
    if (quirks.pointedAt !== undefined && /[*&](?: ?const)?$/.test(variable.type ?? ""))
      pointers.add(variablesReference)
    if (quirks.pagesElements !== true || indexedVariables === 0) return DapValues.valueOf(variable)
    elements.add(variablesReference)
    return { ...DapValues.valueOf(variable), child_count: indexedVariables }
  }

  const ask = (asked: Asked) =>
    client.request(Requests.Variables, asked).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.variables.filter(({ name }) => quirks.hiddenMembers?.test(name) !== true).map(valueOf))
    )

  const scopes = (frame: number) =>
    client.request(Requests.Scopes, { frameId: frame }).pipe(
      Effect.mapError(failed),
      Effect.map((body) => body.scopes)
    )

  /** Variables asked for singly, without those that cannot be told. */
  const oneByOne = (variablesReference: number, count: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), (_, start) =>
        ask({ variablesReference, start, count: 1 }).pipe(
          Effect.catchTag("AdapterError", () => Effect.succeed<ReadonlyArray<Backend.Value>>([]))
        )
      ),
      (lists) => lists.flat()
    )

  const within = (chosen: ReadonlyArray<Models.Scope>) =>
    Effect.forEach(chosen, ({ namedVariables = 0, variablesReference }) =>
      variablesReference === 0
        ? Effect.succeed([])
        : ask({ variablesReference }).pipe(
            Effect.catchIf(
              (error) => error._tag === "AdapterError" && quirks.failsForOne === true,
              () => oneByOne(variablesReference, namedVariables)
            )
          )
    )

  const all = (variablesReference: number, start: number, count: number) =>
    Effect.map(ask({ variablesReference }), (found) => found.slice(start, start + count))

  /** A page of what is in a value, of adapters too that cannot count to the end of a short list. */
  const paged = (variablesReference: number, start: number, count: number) => {
    if (quirks.pagesElements === true) {
      return elements.has(variablesReference)
        ? ask({ variablesReference, filter: "indexed", start, count })
        : all(variablesReference, start, count)
    }
    const page = ask({ variablesReference, start, count })
    return quirks.failsForOne === true
      ? page.pipe(Effect.catchTag("AdapterError", () => all(variablesReference, start, count)))
      : page
  }

  return {
    valueOf,
    hinted: quirks.scopes === undefined,
    locals: (frame) =>
      scopes(frame).pipe(
        Effect.flatMap((all) => within(ownScopes(all, quirks.scopes))),
        Effect.map((lists) => (quirks.scopes === undefined ? lists.flat() : seen(lists)))
      ),
    around: Effect.fnUntraced(function* (frame) {
      const all = yield* scopes(frame)
      const { scopes: named } = quirks
      const own = new Set(named === undefined ? [] : ownScopes(all, named))
      const chosen = all.filter((scope) =>
        named === undefined
          ? /^(?:globals|statics?)/i.test(scope.name)
          : named.around.test(scope.name) && !own.has(scope)
      )
      return named === undefined && chosen.length === 0
        ? undefined
        : seen(yield* within(named === undefined ? chosen.slice(0, 1) : chosen))
    }),
    // In a pointer is what is in that which it points to.
    children: Effect.fnUntraced(function* (value, start, count) {
      if (!pointers.has(value)) return yield* paged(value, start, count)
      const found = yield* ask({ variablesReference: value })
      const [only] = found
      return only !== undefined && only.name === quirks.pointedAt && only.handle !== 0 && found.length === 1
        ? yield* paged(only.handle, start, count)
        : found.slice(start, start + count)
    }),
    forget: () => {
      elements.clear()
      pointers.clear()
    }
  }
}
