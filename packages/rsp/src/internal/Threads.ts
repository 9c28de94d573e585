/**
 * Threads of the program and their registers. LLDB's servers take the thread in the request; others need it selected first.
 */
import * as Effect from "effect/Effect"
import * as Errors from "../Errors.ts"
import * as Hex from "../Hex.ts"
import * as Registers from "../Registers.ts"
import * as StopReply from "../StopReply.ts"
import { textOf, type Ask, type Target } from "./Target.ts"

/** Most answers to one list of threads. */
const listLimit = 4096

/** Makes the requests. `suffix` is true if the server takes `;thread:ID;` after a request. */
export const make = (ask: Ask, target: Target, suffix: boolean) => {
  const about = (packet: string, thread: number) =>
    suffix
      ? ask(`${packet};thread:${thread.toString(16)};`)
      : Effect.andThen(ask(`Hg${thread.toString(16)}`), ask(packet))

  const described = Effect.fnUntraced(function* (number: number) {
    const register = (yield* target.registers).find((one) => one.number === number)
    return register ?? (yield* new Errors.NotSupported({ packet: `p${number.toString(16)}` }))
  })

  /** All registers as digits, and where the digits of one are, for servers without `p` such as GDB's. */
  const among = Effect.fnUntraced(function* (number: number, thread: number) {
    const { bits, offset } = yield* described(number)
    const all = textOf(yield* about("g", thread))
    return { all, from: 2 * offset, to: 2 * (offset + bits / 8) }
  })

  const readRegister = Effect.fn("Client.readRegister")(function* (register: number, thread: number) {
    const answer = yield* Effect.map(about(`p${register.toString(16)}`, thread), textOf).pipe(
      Effect.catchTag("NotSupported", () =>
        Effect.map(among(register, thread), ({ all, from, to }) => (all.length < to ? "x" : all.slice(from, to)))
      )
    )
    // A register that is not available has the letter x for each digit.
    const bytes = Hex.decode(answer)
    if (bytes !== undefined) return bytes
    return yield* new Errors.RequestFailed({ packet: "p", code: 0, text: "the register is not available" })
  })

  return {
    list: Effect.fn("Client.threads")(function* () {
      const threads: Array<number> = []
      let answer = textOf(yield* ask("qfThreadInfo"))
      for (let turn = 0; answer.startsWith("m") && turn < listLimit; turn++) {
        for (const word of answer.slice(1).split(",")) {
          const id = StopReply.threadId(word)
          if (id !== undefined) threads.push(id.thread)
        }
        answer = textOf(yield* ask("qsThreadInfo"))
      }
      return threads
    })(),
    readRegister,
    writeRegister: Effect.fn("Client.writeRegister")(function* (register: number, thread: number, bytes: Uint8Array) {
      const digits = Hex.encode(bytes)
      yield* about(`P${register.toString(16)}=${digits}`, thread).pipe(
        Effect.catchTag("NotSupported", () =>
          Effect.flatMap(among(register, thread), ({ all, from, to }) =>
            about(`G${all.slice(0, from)}${digits}${all.slice(to)}`, thread)
          )
        )
      )
    }),
    /** Where a thread is stopped. */
    address: Effect.fnUntraced(function* (thread: number) {
      const register = Registers.find(yield* target.registers, "pc")
      if (register === undefined) return yield* new Errors.NotSupported({ packet: "reading the program counter" })
      return Hex.toBigInt(yield* readRegister(register.number, thread))
    })
  }
}
