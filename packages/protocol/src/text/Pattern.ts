/**
 * Regular expressions of callers, run by RE2 (`re2js`), whose time grows with the length of the text only.
 *
 * The syntax is that of JavaScript with the flag `u`, without look-around and backreferences, which no linear engine has.
 * Linear is not quick enough by itself: the time is at most the steps of the pattern times the characters of the text. So a
 * pattern has at most `limits.source` characters and `limits.steps` steps, `test` reads `limits.text` characters of a
 * text, fewer with a large pattern, and a search of many texts yields to other fibers. A search stops after `limits.work`: one
 * of unbounded text has a cursor, so that its caller continues it, and one of names fails. The engine is loaded at the first use, because
 * that takes 10 ms.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { RE2JS } from "re2js"

/** Limits of patterns and of the texts that they search. */
export const limits = {
  /** Characters of a pattern. */
  source: 1024,
  /** Steps (RE2 instructions) of a compiled pattern. */
  steps: 512,
  /** Characters of one text that are searched, with a pattern of up to 122 steps. */
  text: 4096,
  /** Characters of one text that are searched with any pattern. */
  least: 1024,
  /** Steps times characters between two yields: about 10 ms at worst. */
  slice: 250_000,
  /** Milliseconds of work, without those of other fibers, after which a search stops. */
  work: 100
} as const

/** Flags: `i` ignores case, `m` lets `^` and `$` match at line breaks, `s` lets `.` match a line break. */
export type Flags = "" | "i" | "m" | "s" | "im" | "is" | "ms" | "ims"

/** A compiled pattern. */
export interface Pattern {
  readonly source: string
  /** Its size in RE2 instructions. */
  readonly steps: number
  /** True if the first `reach` characters of a text have a match. */
  readonly test: (text: string) => boolean
  /** Characters that `test` searches: 1024 to 4096. */
  readonly reach: number
  /** True if a text has a match. The caller bounds the text to `window` characters. */
  readonly testWindow: (text: string) => boolean
  /** Characters that `testWindow` searches in one slice: `reach` at least, 65,536 at most. */
  readonly window: number
}

/** The reason why a pattern cannot be used: one clause, which names the pattern. */
export class Invalid {
  readonly _tag = "Invalid"
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

let engine: typeof RE2JS | undefined

/** Loads the engine. Must complete before `parse` is called. */
export const load: Effect.Effect<void> = Effect.suspend(() =>
  engine === undefined
    ? Effect.map(
        Effect.promise(() => import("re2js")),
        (library) => {
          engine = library.RE2JS
        }
      )
    : Effect.void
)

const constructs: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\\[1-9]/, "a backreference"],
  [/^\\k</, "a backreference"],
  [/^\(\?[=!]/, "look-ahead"],
  [/^\(\?<[=!]/, "look-behind"]
]

/** Returns the first construct that RE2 does not have, and its name. Escaped characters and classes are skipped. */
const unsupported = (source: string): { readonly text: string; readonly name: string } | undefined => {
  let inClass = false
  for (let at = 0; at < source.length; at++) {
    const rest = source.slice(at, at + 4)
    if (!inClass) {
      for (const [form, name] of constructs) {
        const [text] = form.exec(rest) ?? []
        if (text !== undefined) return { text, name }
      }
    }
    if (rest.startsWith("\\")) at++
    else if (rest.startsWith("[")) inClass = true
    else if (rest.startsWith("]")) inClass = false
  }
  return undefined
}

const shown = (source: string): string => (source.length > 80 ? `${source.slice(0, 80)}…` : source)

const flagsOf = (library: typeof RE2JS, flags: Flags): number =>
  (flags.includes("i") ? library.CASE_INSENSITIVE : 0) |
  (flags.includes("m") ? library.MULTILINE : 0) |
  (flags.includes("s") ? library.DOTALL : 0)

/** Compiles a pattern. Dies if `load` has not completed. */
export const parse = (source: string, flags: Flags = ""): Result.Result<Pattern, Invalid> => {
  const library = engine
  if (library === undefined) throw new Error("Pattern.load has not completed")
  const fail = (problem: string) => Result.fail(new Invalid(problem))
  if (source.length > limits.source)
    return fail(`the pattern has ${source.length} characters; the limit is ${limits.source}`)
  const construct = unsupported(source)
  if (construct !== undefined) {
    return fail(
      `${shown(source)} has ${construct.name} (${construct.text}); patterns run in linear time, without look-around and backreferences`
    )
  }
  const compiled = Result.try({
    try: () => library.compile(library.translateRegExp(source), flagsOf(library, flags)),
    catch: () => new Invalid(`${shown(source)} is not a regular expression (RE2 syntax)`)
  })
  return Result.flatMap(compiled, (expression) => {
    const steps = expression.programSize()
    if (steps > limits.steps) {
      return fail(`${shown(source)} has ${steps} steps; the limit is ${limits.steps}, so use lower repeat counts`)
    }
    const reach = Math.max(limits.least, Math.min(limits.text, Math.floor((2 * limits.slice) / steps)))
    return Result.succeed({
      source,
      steps,
      reach,
      test: (text: string) => expression.test(text.length > reach ? text.slice(0, reach) : text),
      testWindow: (text: string) => expression.test(text),
      window: Math.max(reach, Math.min(65_536, Math.floor(limits.slice / steps)))
    })
  })
}

/**
 * Returns the end of the window of a text that begins at `from`, and the beginning of the next one. A window ends at a line
 * break if there is one in its second half. Windows overlap by a quarter, so a match of that length is in one of them.
 */
export const windowAt = (
  { window }: Pattern,
  text: string,
  from: number
): { readonly end: number; readonly next: number | undefined } => {
  if (text.length - from <= window) return { end: text.length, next: undefined }
  const line = text.lastIndexOf("\n", from + window)
  const end = line > from + window / 2 ? line : from + window
  const overlap = end - Math.floor(window / 4)
  const begin = text.lastIndexOf("\n", overlap) + 1
  return { end, next: begin > from ? begin : overlap }
}

/** Whether a text of any length has a match. Searches window after window without a pause. */
export const findIn = (pattern: Pattern, text: string): boolean => {
  for (let from: number | undefined = 0; from !== undefined;) {
    const { end, next } = windowAt(pattern, text, from)
    if (pattern.testWindow(text.slice(from, end))) return true
    from = next
  }
  return false
}

/** Compiles a pattern and loads the engine if necessary. */
export const compile = (source: string, flags: Flags = ""): Effect.Effect<Pattern, Invalid> =>
  Effect.andThen(load, () => Effect.fromResult(parse(source, flags)))

/** Counts the work of a loop, so that it yields after each slice, and stops. */
export interface Budget {
  /** Counts the search of one text with a pattern. Completes at once except at the end of a slice. */
  readonly spend: (pattern: Pattern, characters: number) => Effect.Effect<void>
  /** Milliseconds of work up to the end of the last slice, without those of other fibers. */
  readonly worked: () => number
}

/** Searches take turns: one slice in each turn of the event loop, however many searches run. */
const alone = Semaphore.makeUnsafe(1)

/** Makes the budget of one call, which starts when it is its turn. */
export const budget: Effect.Effect<Budget> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  let slice = 0
  let worked = 0
  let spent = 0
  const turn = Effect.andThen(
    alone.withPermit(Effect.yieldNow),
    Effect.sync(() => {
      slice = now()
    })
  )
  yield* turn
  return {
    spend: ({ steps }, characters) => {
      // A text of no characters costs a call, too.
      spent += steps * (characters + 16)
      if (spent < limits.slice) return Effect.void
      spent = 0
      worked += now() - slice
      return turn
    },
    worked: () => worked
  }
})

/** Returns the items of which one of the texts matches. Yields between slices; fails after `limits.work`. */
export const filter = Effect.fnUntraced(function* <A>(
  pattern: Pattern,
  items: ReadonlyArray<A>,
  textsOf: (item: A) => ReadonlyArray<string>
) {
  const { spend, worked } = yield* budget
  const found: Array<A> = []
  for (const [index, item] of items.entries()) {
    const texts = textsOf(item)
    if (texts.some(pattern.test)) found.push(item)
    const spent = spend(
      pattern,
      texts.reduce((sum, text) => sum + Math.min(text.length, pattern.reach), 0)
    )
    if (spent === Effect.void) continue
    yield* spent
    if (worked() > limits.work) {
      const searched = `${index + 1} of ${items.length}`
      return yield* Effect.fail(
        new Invalid(
          `the search for ${shown(pattern.source)} was stopped after ${limits.work} ms, with ${searched} searched; use a shorter pattern`
        )
      )
    }
  }
  return found
})
