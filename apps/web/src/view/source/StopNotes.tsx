/**
 * What a person must know of the shown stop beside its reason, below the source.
 */
import { missedWriteWords, stopWarningWords } from "../../session/stops/StopNotes.ts"
import { Icon } from "../parts/Icons.tsx"
import { useView } from "../parts/PageContext.ts"

/** The notes of the shown stop; nothing if there are none. */
export const StopNotes = () => {
  const view = useView()
  const report = view.report.value
  const words = [...missedWriteWords(report ?? {}), ...stopWarningWords(view.stopWarnings.at(view.reportStop.value))]
  if (words.length === 0) return null
  return (
    <div class="stopNotes" role="note" aria-label={`Notes on stop ${view.reportStop.value}`}>
      <Icon name="warn" />
      <p>{words.join(" ")}</p>
    </div>
  )
}
