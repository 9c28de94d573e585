/**
 * The name that a command line gives its caller.
 */
import type { CommandLine } from "@sigtrap/host/daemon/Protocol"
import { Caller } from "@sigtrap/protocol"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import { Effect, Predicate } from "effect"

/** Returns the caller under the name that the command line gives it: `--as`, else `SIGTRAP_AS`. */
export const of = (
  { environment }: Pick<CommandLine, "environment">,
  globals: Argv.Fields
): Effect.Effect<Caller.Caller> =>
  Effect.map(Caller.Current, (caller) => {
    const name = globals["as"] ?? environment["SIGTRAP_AS"]
    return Predicate.isString(name) && name !== ""
      ? { ...caller, actor: { ...caller.actor, name: name.replaceAll(/\p{C}/gu, "").slice(0, 128) } }
      : caller
  })
