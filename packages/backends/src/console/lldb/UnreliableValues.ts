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

/** What a connection provides. */
export interface Options {
  readonly command: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>
  readonly locals: Backend.Connection["locals"]
  readonly evaluate: Backend.Connection["evaluate"]
}

const withoutPlace = (name: string) => name.replace(/ @ .*$/, "")

/** Matches what LLDB calls a parameter without a name. No expression names it, and GDB does not list it. */
const nameless = /^(?:<null>(?: @ 0x[\da-f]+)?|\(null\))?$/

/** Makes the corrections of one connection. An expression that names a wrong local variable fails. */
export const make = ({ command, evaluate, locals }: Options): CorrectedValues => {
  const known = new Map<number, ReadonlyMap<string, string>>()

  const ofFrame = (frame: number) =>
    Effect.suspend(() => {
      const found = known.get(frame)
      if (found !== undefined) return Effect.succeed(found)
      return command(Locations.lookup, frame).pipe(
        Effect.map(Locations.unreliable),
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
      const wrong = known.get(frame)
      const name = wrong?.size ? (expression.match(/[A-Za-z_]\w*/g) ?? []).find((one) => wrong.has(one)) : undefined
      if (name === undefined) return yield* evaluate(expression, frame, how, timeout)
      return yield* new Errors.AdapterError({ command: "evaluate", detail: `${name} is ${wrong?.get(name) ?? ""}` })
    }),

    forget: () => known.clear()
  }
}
