/**
 * Traces the calls of a command line to the collector of `--trace-otlp` or `SIGTRAP_OTLP`.
 */
import * as CollectorAddress from "@sigtrap/host/tracing/CollectorAddress"
import * as Traces from "@sigtrap/host/tracing/Traces"
import type { CommandLine } from "@sigtrap/host/daemon/Protocol"
import { Client, Errors, Hint } from "@sigtrap/protocol"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import { Effect, Predicate, Result } from "effect"

/** Returns the client of a command line; fails if the address of the collector is refused. */
export const client = Effect.fnUntraced(function* (
  { environment }: CommandLine,
  { globals, request }: Argv.Parsed
): Effect.fn.Return<Result.Result<Client.Client["Service"], Errors.Usage>, never, Client.Client> {
  const direct = yield* Client.Client
  const given = globals["trace-otlp"]
  const url = given ?? environment[CollectorAddress.VARIABLE]
  const calls = Result.isSuccess(request) && request.success._tag === "Call"
  if (!calls || !Predicate.isString(url) || url === "") return Result.succeed(direct)
  const { client: traced } = yield* Traces.Traces
  return Result.mapError(traced(url, direct), (problem) => {
    const name = given === undefined ? CollectorAddress.VARIABLE : "--trace-otlp"
    const remedies = [Hint.remedy(`set ${name} to the address of a collector, or leave it out`)]
    return new Errors.Usage({ problem: `${name} ${problem}`, near: [], remedies })
  })
})
