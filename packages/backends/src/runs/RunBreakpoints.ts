/**
 * The breakpoints of one run: at the entry point, where the libraries are loaded, at the functions through which the program ends
 * or makes children, and at a panic of Rust.
 */
import type { ProgramRuns } from "@sigtrap/manager"
import type { Client, Errors } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import * as AuxiliaryVector from "./AuxiliaryVector.ts"
import type * as ExitFunction from "./ExitFunction.ts"

/** What all runs of a program share. */
export interface Shared {
  readonly exitFunction: ReturnType<typeof ExitFunction.make>
  /** The distance of the program's `rust_panic` from its entry point, in bytes; undefined if it has none. */
  readonly panicFunction: bigint | undefined
  /** The number of the register with the first argument of a function, once it is known. */
  argument?: number | undefined
}

/** A stop at one of the breakpoints: the libraries are loaded, the program panics, the process ends, or it may just continue. */
type Place = "loaded" | "panic" | "end" | "passed"

/** The breakpoints of one run. */
export interface RunBreakpoints {
  /** Stops at the entry point of the program that the process runs now. */
  readonly arm: Effect.Effect<void, Errors.RequestError>
  /** Returns what a stop at an address means, and moves the breakpoints; undefined if none of them is there. */
  readonly at: (address: bigint) => Effect.Effect<Place | undefined, Errors.RequestError>
  /** Lets the process end. */
  readonly leave: Effect.Effect<void, Errors.RequestError>
}

/** Makes the breakpoints of a run. */
export const make = (
  client: Client.Client,
  { panics }: Pick<ProgramRuns.RunOptions, "panics">,
  { exitFunction, panicFunction }: Shared
): RunBreakpoints => {
  let entry: bigint | undefined
  let exit: ExitFunction.Functions | undefined
  let panic: bigint | undefined
  let isFirst = true
  let isForking = false
  let isEnding = false

  const insert = (address: bigint) => client.insert({ kind: "software", address })
  const remove = (address: bigint) =>
    client.breakpoints().some((one) => one.address === address)
      ? client.remove({ kind: "software", address })
      : Effect.void

  const arm = Effect.gen(function* () {
    exit = undefined
    isForking = false
    isEnding = false
    entry = AuxiliaryVector.find(yield* client.object("auxv"), AuxiliaryVector.entry)
    // A program that the first one executes has other addresses.
    const offset = isFirst && panics !== undefined ? panicFunction : undefined
    panic = entry === undefined || offset === undefined ? undefined : entry + offset
    isFirst = false
    if (entry !== undefined) yield* insert(entry)
  })

  const loaded = Effect.fnUntraced(function* (address: bigint) {
    yield* remove(address)
    entry = undefined
    exit = yield* exitFunction(client).pipe(Effect.catchTag(["RequestFailed", "NotSupported"], () => Effect.undefined))
    const places = exit === undefined ? [] : [exit.begin, exit.end, exit.fork, ...exit.spawns]
    for (const place of panic === undefined ? places : [...places, panic]) yield* insert(place)
  })

  const at = Effect.fnUntraced(function* (address: bigint) {
    let place: Place | undefined = "passed"
    if (address === entry) {
      yield* loaded(address)
      place = "loaded"
    } else if (address === panic) place = "panic"
    else if (address === exit?.end) place = "end"
    else if (address === exit?.fork) {
      isForking = true
      for (const one of client.breakpoints()) yield* remove(one.address)
    } else if (exit?.spawns.includes(address) === true) {
      // A child that shares the memory would die of the breakpoint.
      for (const one of [...exit.spawns, exit.end]) yield* remove(one)
    } else if (address === exit?.begin) {
      // The end is awaited from now on. Another thread may call `exit` as well.
      yield* remove(address)
      if (!isForking && !isEnding) yield* insert(exit.end)
    } else place = undefined
    return place
  })

  const leave = Effect.suspend(() => {
    isEnding = true
    return exit === undefined ? Effect.void : remove(exit.end)
  })

  return { arm, at, leave }
}
