/**
 * Names the line of a function where a debugger takes no breakpoints on functions, if the source files have exactly one
 * declaration of that name.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FunctionDeclaration from "../model/sources/FunctionDeclaration.ts"
import { SourceFiles } from "../model/sources/SourceFiles.ts"
import type { Request } from "../model/BreakpointPlace.ts"

/** Most files that are searched. */
const mostFiles = 100

/** Longest time of a search, in milliseconds. */
const searchWithin = 1000

/** The request of a breakpoint on a function, as it was written, and the function. */
interface Wanted {
  readonly request: Request
  readonly name: string
}

/** Returns the first breakpoint on a function. */
const wantedIn = (requests: ReadonlyArray<Request>): Wanted | undefined => {
  for (const request of requests) {
    const at = request.place.kind === "special" ? request.place.at : request.place
    if (at.kind === "function") return { request, name: at.name }
  }
  return undefined
}

/** Returns the one place `FILE:LINE` of a function; undefined if there are none or several. */
const placeOf = Effect.fnUntraced(function* (name: string, files: ReadonlyArray<string>) {
  const sources = yield* SourceFiles
  const known = FunctionDeclaration.nameOf(name)
  if (known === undefined) return undefined
  const found: Array<string> = []
  // A relative name, such as that of a part of Node.js, is not a file.
  for (const file of new Set(files.filter((one) => one.startsWith("/")).slice(0, mostFiles))) {
    const text = yield* sources
      .range(file, 1, Number.MAX_SAFE_INTEGER)
      .pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
    found.push(...FunctionDeclaration.lines(text, known).map((line) => `${file}:${line}`))
    if (found.length > 1) return undefined
  }
  return found[0]
})

/**
 * Adds a hint to the error of a debugger that takes no breakpoints on functions. `hint` makes it from the place, or from
 * undefined if the place is unknown.
 */
const advised = Effect.fnUntraced(function* (
  error: Errors.Unsupported,
  requests: ReadonlyArray<Request>,
  files: Effect.Effect<ReadonlyArray<string>, unknown>,
  hint: (place: string, request: Request) => Hint.Hint
): Effect.fn.Return<Errors.Unsupported, never, SourceFiles> {
  const wanted = wantedIn(requests)
  if (wanted === undefined || error.remedies.length > 0) return error
  const place = yield* Effect.orElseSucceed(files, (): ReadonlyArray<string> => []).pipe(
    Effect.flatMap((all) => placeOf(wanted.name, all)),
    Effect.timeoutOrElse({ duration: searchWithin, orElse: () => Effect.succeed(undefined) })
  )
  const { by, what } = error
  const remedies = [
    place === undefined ? Hint.help("break", "name the line of the function: FILE:LINE") : hint(place, wanted.request)
  ]
  return new Errors.Unsupported({ what, by, remedies })
})

/** Adds the hint to an error of `break`: the call with the line. */
export const ofBreak = (
  error: Errors.Unsupported,
  request: Request,
  files: Effect.Effect<ReadonlyArray<string>, unknown>
): Effect.Effect<Errors.Unsupported, never, SourceFiles> =>
  advised(error, [request], files, (at) => Hint.again("break", { at }))

/** Fields of a start that set breakpoints. */
interface Fields {
  readonly break?: ReadonlyArray<string> | undefined
}

/** Adds the hint to an error of `start`: the call with the line in place of the function. The program is the only file searched. */
export const ofStart = (
  error: Errors.Unsupported,
  requests: ReadonlyArray<Request>,
  program: string,
  { break: breakpoints = [] }: Fields
): Effect.Effect<Errors.Unsupported, never, SourceFiles> =>
  advised(error, requests, Effect.succeed([program]), (place, { text }) =>
    Hint.again("start", {
      break: breakpoints.map((one) => (one.startsWith(text) ? `${place}${one.slice(text.length)}` : one))
    })
  )
