/**
 * The registers of the shown frame.
 */
import { signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Data } from "../../connection/Answers.ts"
import { unlistedRegisters } from "../../session/stops/Stack.ts"
import { unreadableWords } from "../../session/words/StopWords.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { panelObstacle } from "../layout/PanelNeeds.ts"

type Registers = Data<"registers">["groups"][number]["registers"]

/** How many of the shown registers differ from the stop before. */
export const changedRegisters = signal(0)

/** The general registers. Those that differ from the stop before are marked. */
export const RegisterPanel = () => {
  const page = usePage()
  const view = useView()
  const registers = useSignal<Registers>([])
  const problem = useSignal<string | undefined>(undefined)
  // A report that was read again at the same stop says that a client changed something.
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  const isOffered = view.status.offers("registers")
  useEffect(() => {
    if (!live || !isOffered) return undefined
    const abort = new AbortController()
    const input = { session: view.session.name, ...view.inFrame.value }
    void page.calls.call("registers", input, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      problem.value = outcome.ok ? undefined : outcome.failure.message
      if (!outcome.ok) return
      registers.value = outcome.answer.data.groups[0]?.registers ?? []
      changedRegisters.value = registers.value.filter(({ changed }) => changed === true).length
    })
    return () => abort.abort()
  }, [report, live, frame, isOffered])
  const obstacle = panelObstacle(view, "Registers")
  if (obstacle !== undefined) return <p class="empty">{obstacle}</p>
  if (view.past.value) return <p class="empty">Registers were not read at this stop.</p>
  if (problem.value !== undefined) return <p class="empty">{problem.value}</p>
  const unlisted = unlistedRegisters(view.shownFrame.value)
  if (registers.value.length === 0 && unlisted !== undefined) return <p class="empty">{unlisted}</p>
  const unreadable = unreadableWords(view.session.snapshot.value)
  if (registers.value.length === 0 && unreadable !== undefined) return <p class="empty">{unreadable}</p>
  return (
    <div class={`scroll${live ? "" : " dim"}`} tabIndex={0} role="region" aria-label="Registers">
      <ul class="registers">
        {registers.value.map(({ changed, name, old, value }) => (
          <li key={name} class="row register">
            <span class="name">{name}</span>
            {value.startsWith("<error") ? (
              <span class="none" title={value}>
                cannot be read in this frame
              </span>
            ) : (
              <span class={changed === true ? "changed" : undefined}>{value}</span>
            )}
            <span class="was">
              {changed === true && old !== undefined ? `was ${old.replace(/^0x0+(?=[0-9a-f])/i, "0x")}` : ""}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
