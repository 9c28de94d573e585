/**
 * The handler of `raw`: a command of the debugger.
 */
import { Errors, Field, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Session } from "../session/Session.ts"
import type { StopView } from "../session/values/StopView.ts"
import * as Selection from "./frames/Selection.ts"
import type { Reply } from "./Reply.ts"

/** Returns the debugger's handle of the selected frame; undefined if the stack cannot be read. */
const selectedHandle = (session: Session, view: StopView) =>
  Selection.frameOf(session, view, {}).pipe(
    Effect.map(({ handle }) => handle),
    Effect.orElseSucceed(() => undefined)
  )

/** `raw`: runs in the selected frame, which reads of other frames do not change. */
export const raw = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"raw">) {
  if (/[\r\n\0]/.test(payload.command)) {
    return yield* new Errors.Usage({
      problem: "a debugger command must be one line",
      near: [],
      remedies: [Hint.call("raw", { command: "image list" })]
    })
  }
  const connection = yield* session.connection
  const before = session.log.snapshot
  const view = yield* Effect.option(session.view)
  const text = yield* connection
    .command(
      payload.command,
      Option.isSome(view) ? yield* selectedHandle(session, view.value) : undefined,
      Field.millis(payload.timeout)
    )
    .pipe(
      Effect.mapError((error) =>
        error._tag === "AdapterError" && error.remedies === undefined
          ? Object.assign(error, { remedies: [Hint.call("raw", { command: "help" }, "lists the debugger's commands")] })
          : error
      ),
      // The command may have changed values.
      Effect.ensuring(Effect.sync(() => (Option.isSome(view) ? view.value.forget() : undefined)))
    )
  const after = session.log.snapshot
  const isSameStop = after.state === before.state && after.stop === before.stop
  if (Option.isSome(view) && isSameStop && connection.selectedBy !== undefined) {
    const selected = yield* connection.selectedBy(payload.command)
    const viewpoint = yield* session.viewpoint
    if (selected !== undefined) viewpoint.select(view.value.stop, selected.thread, selected.frame)
  }
  return {
    data: { output: text, state_changed: !isSameStop }
  } satisfies Reply<Operations.Data<"raw">>
})
