/**
 * Replaces values that LLDB computes wrongly from their DWARF location by the reason, so that no false value is shown.
 *
 * One instance per connection. The names are remembered by frame until the program resumes.
 */
import { Locations } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { CorrectedValues } from "../Dialect.ts"
import * as Stacks from "./Stacks.ts"

/** What a connection provides. */
export interface Options {
  readonly command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>
  readonly locals: Backend.Connection["locals"]
  readonly evaluate: Backend.Connection["evaluate"]
}

const withoutPlace = (name: string) => name.replace(/ @ .*$/, "")

/** Matches what LLDB calls a parameter without a name. No expression names it, and GDB does not list it. */
const nameless = /^(?:<null>(?: @ 0x[\da-f]+)?|\(null\))?$/

/** Why a variable in the frame of a split function has no value. */
const unwound = "unknown: LLDB cannot unwind this part of the function"

/** Makes the corrections of one connection. An expression that names a wrong local variable fails. */
export const make = ({ command, evaluate, locals }: Options): CorrectedValues => {
  const known = new Map<number, ReadonlyMap<string, string>>()

  /** Reads the names of a frame. If the caller is found, the frame of a split function was unwound all the same. */
  const readFrame = Effect.fnUntraced(function* (frame: number) {
    const output = yield* command(Locations.lookup, frame)
    const names = Locations.unreliable(output)
    const inFrame = Locations.inSplitFrame(output)
    if (inFrame.length === 0) return names
    // Without a caller the command may fail.
    const found = yield* Effect.orElseSucceed(command(Locations.caller(Stacks.placeOf(frame).frame), frame), () => "")
    return Locations.isCode(found) ? names : new Map([...names, ...inFrame.map((name) => [name, unwound] as const)])
  })

  const ofFrame = (frame: number) =>
    Effect.suspend(() => {
      const found = known.get(frame)
      if (found !== undefined) return Effect.succeed(found)
      return readFrame(frame).pipe(
        Effect.orElseSucceed((): ReadonlyMap<string, string> => new Map()),
        Effect.tap((names) => Effect.sync(() => known.set(frame, names)))
      )
    })

  return {
    locals: Effect.fnUntraced(function* (frame) {
      const values = (yield* locals(frame)).filter(({ name }) => !nameless.test(name))
      const wrong = values.length === 0 ? new Map<string, string>() : yield* ofFrame(frame)
      return values.map((value) => {
        const reason = wrong.get(withoutPlace(value.name))
        if (reason === undefined) return value
        const { expression: _, child_count: __, ...rest } = value
        return { ...rest, value: `<${reason}>`, handle: 0, attributes: ["optimized-out" as const] }
      })
    }),

    evaluate: Effect.fnUntraced(function* (expression, frame, how, timeout) {
      const wrong = /[A-Za-z_]/.test(expression) ? yield* ofFrame(frame) : undefined
      const name = wrong?.size ? (expression.match(/[A-Za-z_]\w*/g) ?? []).find((one) => wrong.has(one)) : undefined
      if (name === undefined) return yield* evaluate(expression, frame, how, timeout)
      return yield* new Errors.AdapterError({ command: "evaluate", detail: `${name} is ${wrong?.get(name) ?? ""}` })
    }),

    forget: () => known.clear()
  }
}
