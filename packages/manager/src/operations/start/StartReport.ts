/**
 * Answers of the operations that start a session: the stop report, with program, adapter and breakpoints.
 */
import type { Breakpoint, Operations, Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Reply } from "../Reply.ts"
import * as StopReport from "../stops/StopReport.ts"
import * as Resume from "../resume/Resume.ts"
import type { Session } from "../../session/Session.ts"

type WaitOptions = Pick<Operations.Payload<"start">, "timeout" | "context" | "lines">

/** Returns the program's file; without one, the core file or the address of the server. */
const subject = ({ launch }: Session): string => {
  const { existing, program } = launch
  if (program !== "") return program
  return existing?.kind === "core"
    ? existing.file
    : existing?.kind === "remote"
      ? `${existing.host}:${existing.port}`
      : ""
}

/** Returns a breakpoint without redundant fields. */
const shortened = ({ locations, requested: { line_text: _, ...requested }, ...rest }: Breakpoint.Breakpoint) => {
  const { file, ...other } = requested
  const isFileShown = !rest.moved && locations.some((location) => location.file === file)
  return {
    ...rest,
    requested: isFileShown ? other : requested,
    locations: locations.map(({ address, column: _, module: __, ...location }) =>
      location.file === undefined && address !== undefined ? { ...location, address } : location
    )
  }
}

/** Returns what each answer adds to the stop report. */
const startedFields = (session: Session) => {
  const { pid } = session.log.snapshot
  return {
    session: session.name,
    ...(pid === undefined ? {} : { pid }),
    adapter: session.adapter() ?? { name: "unknown", backend: "dap" as const },
    program: subject(session),
    args: session.launch.args,
    ...(session.launch.terminal === undefined ? {} : { channels: "merged" as const }),
    set_breakpoints: session.breakpoints.list().map(shortened)
  }
}

/** Answers `start`, `connect`, `restart`: at the first stop after the token, or at once. */
export const answer = Effect.fnUntraced(function* (
  session: Session,
  payload: WaitOptions & {
    readonly wait?: boolean
    readonly wait_for?: NonNullable<Operations.Payload<"start">["wait_for"]>
  },
  token: number
) {
  const wait = (payload.wait ?? true) && (payload.wait_for ?? "stop") === "stop"
  const { at, data, truncated } = session.isLoaded()
    ? yield* StopReport.compose(session, payload)
    : yield* Resume.outcome(session, { ...payload, wait }, token)
  const described: { readonly at?: Snapshot.Snapshot } = at === undefined ? {} : { at }
  return { ...described, data: { ...data, ...startedFields(session) }, truncated } satisfies Reply<
    Operations.Data<"start">
  >
})

/** Answers `attach`. With `pause` it waits for the stop. */
export const attached = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"attach">,
  token: number
) {
  // `wait` of `attach` waits for the process, not for a stop.
  if (payload.pause) return yield* answer(session, { ...payload, wait: true }, token)
  return yield* current(session, payload)
})

/** Answers with the current state of a session. */
export const current = Effect.fnUntraced(function* (session: Session, payload: Pick<WaitOptions, "context" | "lines">) {
  const { data, truncated } = yield* StopReport.compose(session, { context: payload.context, lines: payload.lines })
  return { data: { ...data, ...startedFields(session) }, truncated } satisfies Reply<Operations.Data<"attach">>
})

/** Answers `core`: the fatal stop, its signal, and the faulting address if the debugger reports it. */
export const coreOpened = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"core">,
  token: number
) {
  const { data, truncated } = yield* answer(session, payload, token)
  const { existing } = session.launch
  const { fault_address: address, signal } = session.log.snapshot.stopped ?? {}
  return {
    data: {
      ...data,
      core: existing?.kind === "core" ? existing.file : payload.file,
      ...(signal === undefined ? {} : { fatal_signal: signal }),
      ...(address === undefined ? {} : { fault_address: address })
    },
    truncated
  } satisfies Reply<Operations.Data<"core">>
})
