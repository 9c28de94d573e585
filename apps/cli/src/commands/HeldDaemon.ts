/**
 * Texts about a daemon whose main thread does not answer because it runs a long computation: its status, and how it was ended.
 */
import type { ForcedStop, DaemonState, SupervisorClient } from "@sigtrap/host"
import { Errors, Hint } from "@sigtrap/protocol"
import * as HintText from "../render/HintText.ts"

/** The supervisor's answer; absent if there is none. */
type Found = SupervisorClient.Answer | undefined

const seconds = (millis: number) => `${Math.round(millis / 100) / 10} s`

const forced = Hint.local("daemon.stop", ["--force"], "ends it and the programs it launched")

const held = ({ pid, unanswered_ms, version }: SupervisorClient.Answer) =>
  `its main thread has not answered for ${seconds(unanswered_ms)} (pid ${pid}, version ${version})`

const silence = ({ process_state, unanswered_ms }: DaemonState.Unresponsive): string => {
  if (unanswered_ms !== undefined) return `the daemon's main thread has not answered for ${seconds(unanswered_ms)}`
  const state = process_state === undefined || process_state === "unknown" ? "" : `; its process is ${process_state}`
  return `the daemon does not answer${state}`
}

/** Returns what to do about a daemon that does not answer. */
const hintsFor = ({ pid, process_state }: DaemonState.Unresponsive): ReadonlyArray<Hint.Hint> =>
  process_state === "stopped" ? [Hint.remedy(`kill -CONT ${pid} lets it continue`), forced] : [forced]

/** Returns the status as text. */
export const describe = (found: DaemonState.Unresponsive, log: string): string =>
  [
    `daemon running (pid ${found.pid}) · version ${found.version}`,
    silence(found),
    `started ${new Date(found.started_at).toISOString()}`,
    `log ${log}`,
    ...hintsFor(found).map((hint) => `hint: ${HintText.write(hint)}`)
  ].join("\n")

/** Replaces the error of a daemon that does not answer by one that says why, with the hint to end it by force. */
export const explain = (error: Errors.SigtrapError, found: Found): Errors.DaemonUnreachable =>
  new Errors.DaemonUnreachable({
    detail:
      found === undefined
        ? `${"detail" in error ? error.detail : error.message}, nor does its supervisor`
        : held(found),
    remedies: [forced]
  })

/** Returns the error of a daemon that was asked to stop and did not. */
export const remains = (pid: number): Errors.DaemonUnreachable =>
  new Errors.DaemonUnreachable({ detail: `process ${pid} was asked to stop and still runs`, remedies: [forced] })

const listed = (list: ForcedStop.Programs["ended"]) =>
  list.map(({ pid, session }) => (pid === undefined ? session : `${session} (pid ${pid})`)).join(", ")

/** Returns how a daemon was stopped, as text. */
export const stopped = ({ by, pid, programs }: ForcedStop.Stopped): string =>
  [
    by === "request" ? "daemon stopped" : `daemon (pid ${pid}) ended by force`,
    ...(programs === undefined || programs.ended.length === 0 ? [] : [`killed: ${listed(programs.ended)}`]),
    ...(programs === undefined || programs.left.length === 0 ? [] : [`left running: ${listed(programs.left)}`])
  ].join("\n")
