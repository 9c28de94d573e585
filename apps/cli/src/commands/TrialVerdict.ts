/**
 * The verdict on one trial of an adapter: whether it works, and the remedy if it does not. Both follow from the codes and
 * reasons in the outcome of the scenario, never from its words.
 */
import type { Runner } from "@sigtrap/scenario"
import type * as Adapters from "@sigtrap/host/Adapters"

/** Whether launch, attach, core files or remote targets work with an adapter. */
export type Mode = "ok" | "missing" | "forbidden" | "untested"

/** The result of one trial of an adapter: launch, attach, core file or debug server. */
export interface TrialVerdict {
  readonly way: Adapters.Trials.Way
  readonly mode: Mode
  /** Why there is no trial. */
  readonly reason?: string
  /** The failed step, its message and text, at most 300 characters. */
  readonly problem?: string
  /** What to do; absent if only a new installation of the adapter may help. */
  readonly remedy?: string
}

const tracing = "allow tracing: sysctl kernel.yama.ptrace_scope=0, or the container's SYS_PTRACE"

/** Remedies by the code of the error that a command of the trial answered with. */
const codes: { readonly [code: string]: string } = { PERMISSION: tracing, UNSUPPORTED: "sigtrap doctor lldb-dap" }

/** Remedies by the reason of that error. */
const reasons: { readonly [reason: string]: string } = { forbidden: tracing }

/** The fields of an outcome that decide. */
type Outcome = Pick<Runner.Outcome, "result" | "step" | "part" | "message" | "error" | "lacking" | "log">

/** The tried adapter. */
type Tried = Pick<Adapters.Adapter, "name" | "trials">

const remedyOf = ({ error, lacking, part }: Outcome, { name, trials }: Tried): string | undefined => {
  const compiler = trials?.compiler
  if (compiler !== undefined && (part === "setup" || lacking?.includes(compiler.tool) === true))
    return `install ${compiler.title}, then: sigtrap doctor ${name}`
  if (error === undefined) return undefined
  return (error.reason === undefined ? undefined : reasons[error.reason]) ?? codes[error.code]
}

const modeOf = ({ error, result }: Outcome): Mode => {
  if (result === "passed") return "ok"
  if (result === "skipped") return "untested"
  return error?.code === "PERMISSION" || error?.reason === "forbidden" ? "forbidden" : "missing"
}

/** Judges the outcome of a trial of an adapter. */
export const of = (way: Adapters.Trials.Way, outcome: Outcome, tried: Tried): TrialVerdict => {
  const mode = modeOf(outcome)
  if (mode === "ok") return { way, mode }
  const details = [outcome.step, outcome.message, outcome.log].filter(Boolean).join(": ").replaceAll(/\s+/g, " ")
  const remedy = remedyOf(outcome, tried)
  return {
    way,
    mode,
    problem: `${way}: ${details.length > 300 ? `${details.slice(0, 300)}…` : details}`,
    ...(remedy === undefined ? {} : { remedy })
  }
}
