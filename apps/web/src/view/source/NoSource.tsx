/**
 * The part of the page that replaces a source file which cannot be shown: the reason, and what the user can do.
 */
import { useState } from "preact/hooks"
import { mappedBy, remember } from "../../session/source/PathMaps.ts"
import { fileName, shortFunction } from "../../session/words/StopWords.ts"
import { useView } from "../parts/PageContext.ts"
import { panelObstacle } from "../layout/PanelNeeds.ts"
import { Button, focusAtFirst, keepKey } from "../parts/Parts.tsx"

const directoryOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf("/")))

/** The two directories of a map. It is remembered once a file was read with it. */
const MapForm = ({ file, onClose }: { readonly file: string; readonly onClose: () => void }) => {
  const view = useView()
  const [from, setFrom] = useState(directoryOf(file))
  const [to, setTo] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const save = async () => {
    const path = mappedBy(file, from, to.trim())
    if (path === undefined) return setProblem(`${file} is not below ${from}.`)
    const failure = await view.shownSource.showMapped(file, path)
    if (failure !== undefined) return setProblem(failure)
    remember(from, to.trim())
    onClose()
  }
  return (
    <div
      class="mapForm"
      role="group"
      aria-label="Where the source is"
      onKeyDown={(event) => {
        keepKey(event)
        if (event.key === "Escape") onClose()
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) void save()
      }}
    >
      <label>
        <span>In the debug information</span>
        <input type="text" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
      </label>
      <label>
        <span>On this machine</span>
        <input
          type="text"
          value={to}
          placeholder="/home/me/project"
          ref={focusAtFirst}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <p class="cardButtons">
        <Button label="Use this directory" kind="main" onClick={() => void save()} />
        <Button label="Cancel" onClick={onClose} />
      </p>
    </div>
  )
}

/** Returns the short name of a function, or "This place" for one without a name. */
const placeName = (name: string | undefined): string =>
  name === undefined || name === "??" ? "This place" : shortFunction(name)

/** Shows why there is no source, and what the user can do. */
export const NoSource = ({ onInstructions }: { readonly onInstructions: (() => void) | undefined }) => {
  const view = useView()
  const [mapping, setMapping] = useState<string | undefined>(undefined)
  const problem = view.noSource.value
  const frame = view.shownFrame.value
  // A frame of a report has its module only if it differs from that of the place.
  const module = frame?.module ?? view.report.value?.location?.module
  if (problem === undefined) {
    const alive = view.alive()
    // It is being read.
    if (alive && view.session.snapshot.value.stop > 0) return null
    return <p class="empty">{alive ? "The program has not stopped yet." : "No source is shown."}</p>
  }
  const { file } = problem
  const hasInstructions = panelObstacle(view, "Disassembly") === undefined
  const instructions =
    onInstructions === undefined || !hasInstructions ? null : (
      <Button label="Show instructions" onClick={onInstructions} />
    )
  if (file === undefined) {
    return (
      <div class="card">
        <h3>{placeName(frame?.function)} has no source here.</h3>
        <p>
          {module === undefined ? "" : `It is in ${fileName(module)}. `}
          {onInstructions === undefined && hasInstructions ? "Its instructions are shown instead." : ""}
        </p>
        <p class="cardButtons">{instructions}</p>
      </div>
    )
  }
  return (
    <div class="card">
      <h3>{problem.absent ? `${file} is not on this machine.` : `${file} is not shown.`}</h3>
      <p>{problem.absent ? `Looked in: ${directoryOf(file)}` : problem.message}</p>
      {mapping === file ? (
        <MapForm file={file} onClose={() => setMapping(undefined)} />
      ) : (
        <p class="cardButtons">
          {problem.large === true ? null : <Button label="Map a path…" onClick={() => setMapping(file)} />}
          {instructions}
        </p>
      )}
    </div>
  )
}
