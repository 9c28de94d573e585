/**
 * The breakpoints of one run: at the entry point, where the libraries are loaded, at the functions through which the program ends
 * or makes children, and at a panic or a returned error of Rust.
 */
import type { ProgramRuns } from "@sigtrap/manager"
import type { Client, Errors } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import * as AuxiliaryVector from "./AuxiliaryVector.ts"
import type * as ExitFunction from "./ExitFunction.ts"
import type * as PanicFunctions from "./PanicFunctions.ts"

/** What all runs of a program share. */
export interface Shared {
  readonly exitFunction: ReturnType<typeof ExitFunction.make>
  /** The functions of the program through which it panics; undefined if it has none. */
  readonly panicFunctions: PanicFunctions.PanicFunctions | undefined
  /** The number of the register with the first argument of a function, once it is known. */
  argument?: number | undefined
}

/**
 * A stop at one of the breakpoints: the libraries are loaded, the program panics, its stack is unwound, a test returned an error, the
 * process ends, or it may just continue.
 */
type Place = "loaded" | "panic" | "returned" | "unwinding" | "end" | "passed"

/** The entry point of a program that has functions of Rust, and their distances from it. */
interface Panics {
  readonly entry: bigint
  readonly functions: PanicFunctions.PanicFunctions
}

/** The breakpoints of one run. */
export interface RunBreakpoints {
  /** Stops at the entry point of the program that the process runs now. */
  readonly arm: Effect.Effect<void, Errors.RequestError>
  /** Returns what a stop at an address means, and moves the breakpoints; undefined if none of them is there. */
  readonly at: (address: bigint) => Effect.Effect<Place | undefined, Errors.RequestError>
  /** Stops at each frame that is unwound, or at none. Returns the entry point and the functions of the program; undefined if it has none. */
  readonly unwinding: (stops: boolean) => Effect.Effect<Panics | undefined, Errors.RequestError>
  /** Lets the process end. */
  readonly leave: Effect.Effect<void, Errors.RequestError>
}

/** Makes the breakpoints of a run. */
export const make = (
  client: Client.Client,
  options: Pick<ProgramRuns.RunOptions, "panics">,
  { exitFunction, panicFunctions }: Shared
): RunBreakpoints => {
  let entry: bigint | undefined
  let exit: ExitFunction.Functions | undefined
  let panics: Panics | undefined
  let isFirst = true
  let isForking = false
  let isEnding = false

  const insert = (address: bigint) => client.insert({ kind: "software", address })
  const remove = (address: bigint) =>
    client.breakpoints().some((one) => one.address === address)
      ? client.remove({ kind: "software", address })
      : Effect.void

  const addressOf = (name: "panic" | "personality" | "returnedError"): bigint | undefined => {
    const distance = panics?.functions[name]
    return panics === undefined || distance === undefined ? undefined : panics.entry + distance
  }

  const unwinding = Effect.fnUntraced(function* (stops: boolean) {
    const address = addressOf("personality")
    if (address === undefined) return undefined
    yield* stops ? insert(address) : remove(address)
    return panics
  })

  const arm = Effect.gen(function* () {
    exit = undefined
    isForking = false
    isEnding = false
    entry = AuxiliaryVector.find(yield* client.object("auxv"), AuxiliaryVector.entry)
    // A program that the first one executes has other addresses.
    const functions = isFirst && options.panics !== undefined ? panicFunctions : undefined
    panics = entry === undefined || functions === undefined ? undefined : { entry, functions }
    isFirst = false
    if (entry !== undefined) yield* insert(entry)
  })

  const loaded = Effect.fnUntraced(function* (address: bigint) {
    yield* remove(address)
    entry = undefined
    exit = yield* exitFunction(client).pipe(Effect.catchTag(["RequestFailed", "NotSupported"], () => Effect.undefined))
    const places = exit === undefined ? [] : [exit.begin, exit.end, exit.fork, ...exit.spawns]
    // The exit code of the process tells the error of its main thread.
    const returned = options.panics === "any" ? addressOf("returnedError") : undefined
    for (const place of panics === undefined ? places : [...places, addressOf("panic"), returned]) {
      if (place !== undefined) yield* insert(place)
    }
  })

  const at = Effect.fnUntraced(function* (address: bigint) {
    let place: Place | undefined = "passed"
    if (address === entry) {
      yield* loaded(address)
      place = "loaded"
    } else if (address === addressOf("panic")) place = "panic"
    else if (address === addressOf("personality")) place = "unwinding"
    else if (address === addressOf("returnedError")) place = "returned"
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

  return { arm, at, unwinding, leave }
}
