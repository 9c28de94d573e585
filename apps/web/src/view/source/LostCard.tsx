/**
 * The card of a session whose debugger is gone: how it ended, its last words, and starting again.
 */
import { actions, obstacleOf, run } from "../../session/actions/Actions.ts"
import { endOf } from "../../session/words/StopWords.ts"
import { Icon } from "../parts/Icons.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"

/** Most lines of the debugger that the card shows. */
const mostLines = 3

/** Returns what the debugger itself wrote: all, and what came after the last stop, which may say why it is gone. A killed daemon ended it. */
const useDebuggerWords = () => {
  const { events, lostWithDaemon, words } = useView().session
  const last = events.value.findLast(({ event }) => event._tag === "Stopped")?.seq ?? 0
  const wordsAfter = (seq: number) =>
    words.value
      .flatMap((piece) => (piece.seq > seq ? [piece.text] : []))
      .join("")
      .trim()
  return { all: wordsAfter(0), last: lostWithDaemon.value ? "" : wordsAfter(last) }
}

/** The card; nothing for a session that is not lost. */
export const LostCard = () => {
  const page = usePage()
  const view = useView()
  const { all, last } = useDebuggerWords()
  const snapshot = view.session.snapshot.value
  if (snapshot.state !== "lost" || view.past.value) return null
  const count = view.breakpoints.value.length
  const label = count === 0 ? "Start again" : `Start again with ${count} breakpoint${count === 1 ? "" : "s"}`
  return (
    <div class="failure" role="note">
      <p class="failureTitle">
        <Icon name="warn" />
        <strong>{endOf(snapshot).replace(/^the /, "The ")}</strong>
      </p>
      {last === "" ? null : <pre class="sunken lastWords">{last.split("\n").slice(-mostLines).join("\n")}</pre>}
      <p class="cardButtons">
        <Button
          label={label}
          kind="main"
          obstacle={obstacleOf(page, view, actions.restart)}
          onClick={() => void run(page, view, actions.restart)}
        />
        {all === "" ? null : (
          <Button label="All debugger output" onClick={() => page.showWords(endOf(snapshot), all)} />
        )}
      </p>
    </div>
  )
}
