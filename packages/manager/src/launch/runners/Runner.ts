/**
 * What the test runners have in common: the test that each finds, how its listing is read, and where its failures stop.
 */
import { Errors, Hint, Nearest, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Verdict } from "../../model/runs/FailureRule.ts"
import type { FileReader } from "../../ports/FileReader.ts"
import * as Build from "../Build.ts"

/** Services of a runner. */
export interface Services {
  readonly building: Build.Build["Service"]
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  readonly reader: FileReader["Service"]
}

/** How to start a test. */
export interface Test {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env?: ReadonlyArray<string>
  readonly options?: ReadonlyArray<string>
  /** The arguments of the caller for this run; all of them without it. */
  readonly given?: ReadonlyArray<string>
  /** What replaces these fields if the program has to stop at the failure. */
  readonly stopping?: Partial<Pick<Test, "args" | "env" | "options">>
  /** True if the test passes by a failure, so that the program stops at none. */
  readonly expectsFailure?: boolean
  readonly verdict?: Verdict
}

/** What a runner works with. */
export interface Context extends Services {
  /** The name of the runner in messages. */
  readonly runner: string
  /** Working directory of the runner. */
  readonly directory: string
  readonly env: { readonly [name: string]: string }
  readonly program: string | undefined
  /** The arguments that the caller adds to those of the runner. They may select tests. */
  readonly args: ReadonlyArray<string>
  readonly run: (
    ...words: readonly [string, ...ReadonlyArray<string>]
  ) => Effect.Effect<Build.Ended, Errors.LaunchFailed>
  /** Runs a program in another directory with further variables. */
  readonly runIn: (
    directory: string,
    env: { readonly [name: string]: string },
    ...words: readonly [string, ...ReadonlyArray<string>]
  ) => Effect.Effect<Build.Ended, Errors.LaunchFailed>
}

/** Why a test was not found. */
export type Problem = Errors.Usage | Errors.LaunchFailed | Errors.TestNotFound | Errors.ToolMissing | Errors.Unsupported

/** A failed test, and the place where it failed, or else where it begins. */
export interface FailedTest {
  readonly name: string
  readonly file?: string
  readonly line?: number
  readonly message?: string
}

/**
 * All tests of a project that were run without a debugger: the first failed one, how many failed, and those whose places the
 * runner tells. Without `first`, `problem` says why none can be debugged.
 */
export interface Failures {
  readonly failed: number
  readonly first?: Test
  /** The test around `first`, which runs the tests that `first` may need. */
  readonly around?: Test
  readonly tests?: ReadonlyArray<FailedTest>
  readonly problem?: Errors.Unsupported
}

/** Where the debugger stops at a failure of a test. */
interface FailurePlace {
  /** Functions that the runner calls at a failure. */
  readonly functions?: ReadonlyArray<string>
  /** Exceptions, as of `catch`. */
  readonly catches?: ReadonlyArray<string>
  /** Arguments with which the runner itself stops at a failure. */
  readonly args?: ReadonlyArray<string>
}

/** A test runner. */
export interface Runner {
  readonly failure: FailurePlace
  /** Finds the test with a name, or with the only name that contains it. */
  readonly find: (context: Context, name: string) => Effect.Effect<Test, Problem>
  /** Runs one test without a debugger, for a runner whose tests none can debug. */
  readonly alone?: (context: Context, name: string) => Effect.Effect<Failures, Problem>
  /** Runs all tests as they are run every day. */
  readonly failures: (context: Context) => Effect.Effect<Failures, Problem>
}

/** Returns the error of a wrong call. */
export const usage = (problem: string, hint: Hint.Hint = Hint.help("start")) =>
  new Errors.Usage({ problem, near: [], remedies: [hint] })

/** Maximum number of names in an error. */
const maxNames = 8

/** Returns the entry with a name, or else the only one whose name contains it. */
export const choose = <A>(
  { runner }: Pick<Context, "runner">,
  name: string,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string,
  same: (full: string) => boolean = (full) => full === name
): Effect.Effect<A, Errors.TestNotFound> => {
  const exact = all.filter((one) => same(nameOf(one)))
  const found = exact.length > 0 ? exact : all.filter((one) => nameOf(one).includes(name))
  const [first, second] = found
  if (first !== undefined && second === undefined) return Effect.succeed(first)
  const names = (first === undefined ? all : found).map(nameOf)
  const near = first === undefined ? Nearest.names(name, names) : []
  const known = (near.length > 0 ? near : names).slice(0, maxNames)
  return Effect.fail(
    new Errors.TestNotFound({
      runner,
      name,
      known,
      others: near.length === 0 ? Math.max(0, names.length - maxNames) : 0,
      found: found.length
    })
  )
}

/** Runs a program and returns its standard output. Fails unless its exit code is 0. */
export const runOrFail = Effect.fnUntraced(function* (
  context: Pick<Context, "run">,
  ...words: readonly [string, ...ReadonlyArray<string>]
) {
  const ended = yield* context.run(...words)
  return ended.problem === undefined ? ended.stdout : yield* Build.failed(words, ended)
})

/** Returns a document; undefined if the text is none. */
export const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => undefined
  )

/** Returns a member of an object. */
export const field = (value: unknown, name: string): unknown =>
  Predicate.isReadonlyObject(value) ? value[name] : undefined

/** Returns a member that is a text. */
export const text = (value: unknown, name: string): string | undefined => {
  const found = field(value, name)
  return Predicate.isString(found) ? found : undefined
}

/** Returns the items of a member that is a list. */
export const items = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

/** Returns lines without their ends. */
export const lines = (output: string): ReadonlyArray<string> => output.split(/\r?\n/)

/** Returns a pattern that matches a text and nothing else. */
export const anchored = (word: string): string => `^${word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`

/** Returns a directory of the user's cache for what sigtrap builds or writes for tests. */
export const cache = Effect.fnUntraced(function* ({ env, fs, path }: Context) {
  const home = env["HOME"] ?? ""
  // A home that does not exist, as that of a service, is not made.
  const hasHome = path.isAbsolute(home) && (yield* Effect.orElseSucceed(fs.exists(home), () => false))
  const ofHome = hasHome ? [path.join(home, ".cache")] : []
  const named = [env["XDG_CACHE_HOME"] ?? "", ...ofHome, env["TMPDIR"] ?? ""]
  const base = named.find((one) => path.isAbsolute(one)) ?? "/tmp"
  const directory = path.join(base, "sigtrap", "tests")
  yield* fs
    .makeDirectory(directory, { recursive: true, mode: 0o700 })
    .pipe(
      Effect.mapError(
        ({ message }) => new Errors.LaunchFailed({ program: directory, detail: `it cannot be made: ${message}` })
      )
    )
  return directory
})

/** The names of the runners. */
export type Kind = Exclude<NonNullable<Operations.Payload<"start">["runner"]>, "auto">
