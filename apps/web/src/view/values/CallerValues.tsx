/**
 * At a failure, the variables of the caller below those of the shown frame. They are read once at a stop, and again after a client
 * changed a value.
 */
import { batch, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { callerOf, type CallerValues as Values } from "../../session/stops/FailureCaller.ts"
import { shortFunction } from "../../session/words/StopWords.ts"
import { matching } from "../../session/words/ValueWords.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { callerFrame, FrameContext } from "./ValueFrame.ts"
import { ValueRow } from "./ValueRow.tsx"

/** What is known of the caller. */
interface Caller {
  readonly known: Values | undefined
  /** True while its variables are read for the first time at a stop. What is below them waits, so that nothing is pushed down. */
  readonly isAwaited: boolean
}

/** Reads the variables of the caller. They stay until they are read again at the same stop. */
export const useCaller = (): Caller => {
  const page = usePage()
  const view = useView()
  const read = useSignal<Values | undefined>(undefined)
  /** The stop at which they were read, or could not be. */
  const settled = useSignal(0)
  const report = view.report.value
  const stop = view.reportStop.value
  const live = view.live.value
  const isWanted = live && view.reported.value && callerOf(report, view.frame.value) !== undefined
  useEffect(() => {
    const frame = live && view.reported.peek() ? callerOf(report, view.frame.peek()) : undefined
    if (frame === undefined) return undefined
    const abort = new AbortController()
    void page.calls.call("locals", { session: view.session.name, frame: frame.ref }, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      batch(() => {
        if (outcome.ok) read.value = { stop, frame, values: outcome.answer.data.variables }
        settled.value = stop
      })
    })
    return () => abort.abort()
  }, [report, stop, live])
  const known = read.value
  return {
    known: known?.stop === stop && !view.past.value && view.reported.value ? known : undefined,
    isAwaited: isWanted && settled.value !== stop
  }
}

/** The caller with its variables; nothing at other stops, and while another frame is shown. */
export const CallerValues = ({
  filter,
  known
}: {
  readonly filter: string | undefined
  readonly known: Values | undefined
}) => {
  const view = useView()
  // Modules of Python have no value.
  const values = known?.values.filter(({ type }) => type !== "module") ?? []
  if (known === undefined || values.length === 0) return null
  const { index, function: name } = known.frame
  const title = `Caller: ${shortFunction(name)}, frame ${index}`
  return (
    <FrameContext.Provider value={callerFrame(view, known.frame)}>
      <li class="valueGroup caller" role="none">
        <p class="row groupTitle" title={name}>
          <span>{title}</span>
        </p>
        <ul role="group" aria-label={title}>
          {matching(values, filter).map((value) => (
            <ValueRow key={value.name} value={value} path={`caller/${value.name}`} depth={0} />
          ))}
        </ul>
      </li>
    </FrameContext.Provider>
  )
}
