/**
 * What opens over the page: the palette, the list of keys, the list of sessions, the debuggers, a long text, and starting a program.
 */
import { copy } from "../../session/actions/Clipboard.ts"
import { DebuggerList } from "./Debuggers.tsx"
import { Overlay } from "./Overlay.tsx"
import { usePage } from "../parts/PageContext.ts"
import { Palette } from "./Palette.tsx"
import { Button } from "../parts/Parts.tsx"
import { SessionRows } from "./SessionRows.tsx"
import { StartProgram } from "./StartProgram.tsx"

/** The keys that act on the program, by what they do. */
const programKeys: ReadonlyArray<readonly [string, string]> = [
  ["Continue or pause", "F8 · Ctrl+\\ · c, p"],
  ["Step over", "F10 · Ctrl+' · n"],
  ["Step into", "F11 · Ctrl+; · s"],
  ["Step out", "Shift+F11 · Ctrl+Shift+; · f"],
  ["Run to line", "Ctrl+F10"],
  ["Breakpoint on the line", "F9 · b"],
  ["Edit the breakpoint", "Shift+B"],
  ["Frame up, frame down", "u, d"],
  ["Take or give control", "t"],
  ["Previous stop, next stop", "[ and ]"],
  ["First stop, last stop, in their row", "Home, End"],
  ["Back to now", "Esc"],
  ["Allow or deny a call, in its card", "y, n"]
]

/** The keys that move on the page. */
const pageKeys: ReadonlyArray<readonly [string, string]> = [
  ["Search and actions: all of them", "Ctrl+K"],
  ["Console, source, values, Activity, stack", "Alt+1 … Alt+5"],
  ["Next part of the page, previous part", "Tab, Shift+Tab"],
  ["Next row or line, previous one", "↓, ↑"],
  ["Next tab, previous tab", "→, ←"],
  ["Open a value, close it", "→, ←"],
  ["Choose a frame, a row, a button", "Enter"],
  ["Menu of a value", "m · Shift+F10"],
  ["Watch a value, add an expression", "w"],
  ["Copy as command", "y"],
  ["Find in the source, in Variables", "/"],
  ["Size of a pane, on its edge", "arrow keys"],
  ["Close", "Esc"],
  ["These keys", "?"]
]

const KeyTable = ({ keys }: { readonly keys: typeof pageKeys }) => (
  <table class="keys">
    <tbody>
      {keys.map(([what, how]) => (
        <tr key={what}>
          <td>{what}</td>
          <td>
            <kbd>{how}</kbd>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Keys = () => (
  <Overlay label="Keys">
    <h2>Keys</h2>
    <p>Letters act while the focus is in source, stack, values or Activity.</p>
    <div class="keyTables" tabIndex={-1}>
      <KeyTable keys={programKeys} />
      <KeyTable keys={pageKeys} />
    </div>
  </Overlay>
)

/** All that the debugger or a build wrote. */
const WordsOverlay = () => {
  const page = usePage()
  const { text, title } = page.words.value
  return (
    <Overlay label="Whole text">
      <div class="wordsHead">
        <h2>{title}</h2>
        <Button label="Copy" icon="copy" onClick={() => copy(page, text, "The text")} />
        <Button label="Close" icon="close" iconOnly kind="bare" onClick={() => (page.overlay.value = undefined)} />
      </div>
      <pre class="sunken words" tabIndex={0}>
        {text}
      </pre>
    </Overlay>
  )
}

/** The overlay that is open. */
export const Overlays = () => {
  const page = usePage()
  switch (page.overlay.value) {
    case "palette":
      return <Palette />
    case "keys":
      return <Keys />
    case "sessions":
      return (
        <Overlay label="Sessions">
          <div class="sessionsHead">
            <h2>Sessions</h2>
            {page.credentials.session === undefined ? (
              <Button
                label="All sessions"
                onClick={() => {
                  page.overlay.value = undefined
                  page.showAll()
                }}
              />
            ) : null}
          </div>
          <SessionRows onChoose={() => (page.overlay.value = undefined)} />
        </Overlay>
      )
    case "start":
      return <StartProgram />
    case "words":
      return <WordsOverlay />
    case "debuggers":
      return <DebuggerList />
    default:
      return null
  }
}
