/**
 * The program and its libraries: where they are loaded, and whether they have symbols. It is read once the panel is shown, and
 * again at a stop.
 */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Data } from "../../connection/Answers.ts"
import { fileName } from "../../session/words/StopWords.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { panelObstacle } from "../layout/PanelNeeds.ts"

type Modules = Data<"modules">["modules"]

/** The loaded modules. */
export const ModulePanel = () => {
  const page = usePage()
  const view = useView()
  const modules = useSignal<Modules | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const [stop, live] = [view.reportStop.value, view.live.value]
  const isOffered = view.status.offers("modules")
  useEffect(() => {
    if (!live || !isOffered) return undefined
    const abort = new AbortController()
    void page.calls.call("modules", { session: view.session.name }, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      problem.value = outcome.ok ? undefined : outcome.failure.message
      if (outcome.ok) modules.value = outcome.answer.data.modules
    })
    return () => abort.abort()
  }, [view, stop, live, isOffered])
  const obstacle = panelObstacle(view, "Modules")
  if (obstacle !== undefined) return <p class="empty">{obstacle}</p>
  if (problem.value !== undefined) return <p class="empty">{problem.value}</p>
  if (modules.value === undefined)
    return <p class="empty">{live ? "Reading the modules." : "Modules are read when the program is stopped."}</p>
  return (
    <div class={`scroll${live ? "" : " dim"}`} tabIndex={0} role="region" aria-label="Modules">
      <table class="modules">
        <tbody>
          {modules.value.map(({ address, name, path, symbols }) => (
            <tr key={`${address ?? ""}${path ?? name}`}>
              <td title={path}>{fileName(path ?? name)}</td>
              <td>{address === undefined ? "" : address.replace(/^0x0*(?=[0-9a-f])/, "0x")}</td>
              <td>{symbols === undefined ? "" : `symbols ${symbols}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
