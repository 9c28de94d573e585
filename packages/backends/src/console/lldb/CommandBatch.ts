/**
 * Runs many commands of LLDB with few requests, by a Python command inside LLDB.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const Outputs = Schema.fromJsonString(Schema.Array(Schema.String))

/** Most commands of one request. LLDB answers nothing else meanwhile: 100 breakpoints take it 20 ms. */
const mostTogether = 100

/** Fewest commands that are sent in one request. If there are fewer, each is a request of its own. */
const leastTogether = 4

/** Most requests of one command each that wait for an answer at a time. */
const concurrency = 64

/** Splits a list into parts of at most `size` items. */
const partsOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

type Run = (line: string) => Effect.Effect<string, Backend.Failure>

/** Runs commands by one request, and returns their outputs; undefined without Python in LLDB, where none has run. */
const request = (command: Run, lines: ReadonlyArray<string>) =>
  Effect.map(command(`sigtrap-batch ${JSON.stringify(lines)}`), (output) => {
    const outputs = Option.getOrUndefined(Schema.decodeOption(Outputs)(output.trim()))
    return outputs?.length === lines.length ? outputs : undefined
  })

/** True if `run` sends that many commands together. */
export const isBatch = (count: number): boolean => count >= leastTogether

/**
 * Runs commands of which none depends on another, and returns the result of each, at most `most` by one request. A command that LLDB
 * refuses has the text of its error as output. Without Python in LLDB each command is a request.
 */
export const run = (
  command: Run,
  lines: ReadonlyArray<string>,
  most = mostTogether
): Effect.Effect<ReadonlyArray<Result.Result<string, Backend.Failure>>> => {
  const alone = (some: ReadonlyArray<string>) =>
    Effect.forEach(some, (line) => Effect.result(command(line)), { concurrency })
  const together = Effect.fnUntraced(function* (some: ReadonlyArray<string>) {
    const answer = yield* Effect.result(request(command, some))
    // After a failure the commands may have run.
    if (Result.isFailure(answer)) return some.map(() => Result.fail(answer.failure))
    return answer.success?.map((output) => Result.succeed(output)) ?? (yield* alone(some))
  })
  return isBatch(lines.length)
    ? Effect.map(Effect.forEach(partsOf(lines, most), together), (parts) => parts.flat())
    : alone(lines)
}

/** Returns LLDB's list of breakpoints with some of its numbers, all by default. It may contain others. */
export const listOf = Effect.fnUntraced(function* (
  command: Run,
  ids: ReadonlyArray<number> = []
): Effect.fn.Return<string, Backend.Failure> {
  const all = "breakpoint list -v"
  if (ids.length === 1) return yield* command(`${all} ${ids[0]}`)
  const lines = ids.length === 0 || ids.length > mostTogether ? [all] : ids.map((id) => `${all} ${id}`)
  // LLDB's command line writes a list in many small parts, unless Python has read it.
  const outputs = yield* request(command, lines)
  return outputs === undefined ? yield* command(all) : outputs.join("\n")
})
