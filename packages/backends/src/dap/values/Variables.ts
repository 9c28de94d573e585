/**
 * Variables of a debug adapter: those of a frame, scope by scope, and the children of values, page by page.
 *
 * `presentationHint` says which scopes belong to the frame, except for adapters with the quirk `scopes`.
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as CurrentVariables from "./CurrentVariables.ts"
import * as GlobalScopes from "./GlobalScopes.ts"
import * as MemberNames from "./MemberNames.ts"
import * as ScopeReferences from "./ScopeReferences.ts"
import * as DapValues from "./Values.ts"
import type { Quirks } from "../../adapters/Quirks.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly quirks: Quirks
  readonly failed: (error: Dap.RequestError) => Backend.Failure
}

/** The variables of one connection. */
export interface DapVariables {
  /** Translates a variable. */
  readonly valueOf: (variable: Models.Variable) => Backend.Value
  /** True if the scopes' `presentationHint` (DAP) is correct. */
  readonly hinted: boolean
  readonly locals: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value>, Backend.Failure>
  /** Returns global variables and those of enclosing scopes; undefined if the adapter lists no such scope. */
  readonly around: (frame: number) => Effect.Effect<ReadonlyArray<Backend.Value> | undefined, Backend.Failure>
  readonly children: Backend.Connection["children"]
  /** Notes that the variables may have changed at this stop. */
  readonly changed: () => void
  /** Forgets the handles of this stop; called when the program resumes. */
  readonly forget: () => void
}

/** The arguments of a `variables` request: a page of children, or all of them. */
interface Page {
  readonly variablesReference: number
  readonly filter?: "indexed"
  readonly start?: number
  readonly count?: number
}

/** The scopes that belong to the frame. */
const ownScopes = (scopes: ReadonlyArray<Models.Scope>, named: Quirks["scopes"]): ReadonlyArray<Models.Scope> => {
  if (named !== undefined) {
    const whole = scopes.some(({ name }) => named.whole.test(name))
    return scopes.filter(({ name }) => named.own.test(name) || (!whole && named.top.test(name)))
  }
  const hinted = scopes.filter((scope) => scope.presentationHint === "locals" || scope.presentationHint === "arguments")
  return hinted.length > 0 ? hinted : scopes.filter((scope) => /^(?:arguments|locals?)\b/i.test(scope.name))
}

/** The first variable of each name, since an inner scope hides those of outer ones. */
const visible = (lists: ReadonlyArray<ReadonlyArray<Backend.Value>>): ReadonlyArray<Backend.Value> => {
  const names = new Set<string>()
  return lists.flat().filter(({ name }) => {
    const first = !names.has(name)
    names.add(name)
    return first
  })
}

/** The number of members of a value that can be opened, if the adapter says it. */
const countOf = ({ indexedVariables, namedVariables, variablesReference }: Models.Variable): number | undefined =>
  variablesReference === 0 || (indexedVariables ?? namedVariables) === undefined
    ? undefined
    : (indexedVariables ?? 0) + (namedVariables ?? 0)

/** True if the only child of a value of a type can be its target. */
const mayHaveTarget = ({ target }: Quirks, type = "") =>
  target?.of === "all" || (target?.of === "pointers" && MemberNames.isPointer(type))

/** Makes the variables of a connection. */
export const make = ({ client, failed, quirks }: Options): DapVariables => {
  /** Handles of long arrays, for adapters with `pagesElementsOnly`. */
  const elements = new Set<number>()
  /** Handles of values whose only child can be their target, for adapters with `target`. */
  const pointers = new Set<number>()
  /** Expressions of values by their handles, for adapters with `namesNoValues`. */
  const expressions = new Map<number, MemberNames.Parent>()

  const valueOf = (found: Models.Variable): Backend.Value => {
    const { valueText } = quirks
    const variable =
      valueText === undefined
        ? found
        : { ...found, value: valueText(found.value.replace(/^ /, ""), found.type, countOf(found)) }
    const { indexedVariables = 0, variablesReference } = variable
    if (mayHaveTarget(quirks, variable.type)) pointers.add(variablesReference)
    if (quirks.namesNoValues === true && variable.evaluateName !== undefined && variablesReference > 0)
      expressions.set(variablesReference, { expression: variable.evaluateName, type: variable.type ?? "" })
    const value = DapValues.valueOf(variable, quirks.lazyText, quirks.setterText)
    if (quirks.pagesElementsOnly !== true || indexedVariables === 0) return value
    elements.add(variablesReference)
    return { ...value, child_count: indexedVariables }
  }

  /** Adds the expression of a variable of a scope, or of a member of `parent`. */
  const named = (found: Models.Variable, parent: MemberNames.Parent | "scope" | undefined): Models.Variable => {
    if (quirks.namesNoValues !== true || found.evaluateName !== undefined) return found
    const evaluateName =
      parent === "scope" ? found.name : parent === undefined ? undefined : MemberNames.memberOf(parent, found)
    const name = parent === "scope" ? found.name : MemberNames.shown(parent, found)
    return { ...found, name, ...(evaluateName === undefined ? {} : { evaluateName }) }
  }

  const request = (
    page: Page,
    parent: MemberNames.Parent | "scope" | undefined = expressions.get(page.variablesReference)
  ) =>
    client.request(Requests.Variables, page).pipe(
      Effect.mapError(failed),
      Effect.map((body) =>
        body.variables
          .filter(({ name, value }) => {
            const { hiddenMembers, noVariables } = quirks
            return hiddenMembers?.test(name) !== true && noVariables?.test(`${name} ${value}`) !== true
          })
          .map((variable) => valueOf(named(variable, parent)))
      )
    )

  const scopes = (frameId: number) =>
    Effect.map(Effect.mapError(client.request(Requests.Scopes, { frameId }), failed), (body) => body.scopes)

  /** The variables requested one by one, without unreadable ones. */
  const oneByOne = (variablesReference: number, count: number) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), (_, start) =>
        request({ variablesReference, start, count: 1 }, "scope").pipe(
          Effect.catchTag("AdapterError", () => Effect.succeed<ReadonlyArray<Backend.Value>>([]))
        )
      ),
      (lists) => lists.flat()
    )

  const variablesOf = (chosen: ReadonlyArray<Models.Scope>) =>
    Effect.forEach(chosen, ({ namedVariables = 0, variablesReference }) =>
      variablesReference === 0
        ? Effect.succeed([])
        : request({ variablesReference }, "scope").pipe(
            Effect.catchIf(
              (error) => error._tag === "AdapterError" && quirks.scopeFailsForOneVariable === true,
              () => oneByOne(variablesReference, namedVariables)
            )
          )
    )

  const likely = (scope: "locals" | "globals") =>
    ScopeReferences.likely(quirks, scope, (variablesReference) => request({ variablesReference }, "scope"))

  const listed = (variablesReference: number) => request({ variablesReference })
  const current = CurrentVariables.make({ client, failed, children: listed, isNeeded: quirks.copiesScopes === true })
  const all = (variablesReference: number, start: number, count: number) =>
    Effect.map(listed(variablesReference), (found) => found.slice(start, start + count))

  /** A page of children; some adapters fail when `count` is beyond the end. */
  const paged = (variablesReference: number, start: number, count: number) => {
    if (quirks.pagesElementsOnly === true) {
      return elements.has(variablesReference)
        ? request({ variablesReference, filter: "indexed", start, count })
        : all(variablesReference, start, count)
    }
    const page = request({ variablesReference, start, count })
    return quirks.scopeFailsForOneVariable === true
      ? page.pipe(Effect.catchTag("AdapterError", () => all(variablesReference, start, count)))
      : page
  }

  /** Returns a page of the children of a value. Those of a pointer are the children of its target. */
  const children: DapVariables["children"] = Effect.fnUntraced(function* (value, start, count) {
    if (!pointers.has(value) || elements.has(value)) return yield* paged(value, start, count)
    const found = yield* request({ variablesReference: value })
    const [only] = found
    const pointer = expressions.get(value)
    if (only === undefined || found.length > 1 || quirks.target?.isTarget(only) !== true || only.handle === 0)
      return found.slice(start, start + count)
    if (pointer !== undefined) expressions.set(only.handle, MemberNames.pointee(pointer))
    return yield* children(only.handle, start, count)
  })

  return {
    valueOf,
    changed: () => current.note(true),
    hinted: quirks.scopes === undefined,
    locals: (frame) =>
      Effect.all([scopes(frame), likely("locals")], { concurrency: "unbounded" }).pipe(
        Effect.flatMap(([all, found]) => {
          const own = ownScopes(all, quirks.scopes)
          return found !== undefined && ScopeReferences.isLikely(quirks, "locals", own)
            ? Effect.succeed([found])
            : variablesOf(own)
        }),
        Effect.map((lists) => (quirks.scopes === undefined ? lists.flat() : visible(lists))),
        Effect.flatMap(current.read(frame))
      ),
    around: Effect.fnUntraced(function* (frame) {
      const [all, found] = yield* Effect.all(
        [Effect.mapError(GlobalScopes.all({ client, quirks }, frame), failed), likely("globals")],
        { concurrency: "unbounded" }
      )
      const { scopes: named } = quirks
      const own = new Set(named === undefined ? [] : ownScopes(all, named))
      const chosen = all.filter((scope) =>
        named === undefined
          ? /^(?:globals|statics?)/i.test(scope.name)
          : named.around.test(scope.name) && !own.has(scope)
      )
      if (named === undefined && chosen.length === 0) return undefined
      const asked = named === undefined ? chosen.slice(0, 1) : chosen
      const isLikely = ScopeReferences.isLikely(quirks, "globals", asked)
      const lists = found !== undefined && isLikely ? [found] : yield* variablesOf(asked)
      return yield* current.read(frame)(visible(lists))
    }),
    children,
    forget: () => {
      current.note(false)
      elements.clear()
      expressions.clear()
      pointers.clear()
    }
  }
}
