/**
 * What opens over the page: the palette, the list of keys, and the list of sessions.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { ComponentChildren } from "preact"
import { actions, obstacleOf, run, toggleControl } from "../session/Actions.ts"
import { fileName, placeOf, reasonOf } from "../session/StopWords.ts"
import { usePage } from "./PageContext.ts"
import { showExplanation } from "../session/Explanations.ts"
import { copy } from "../session/Copies.ts"
import { Button } from "./Parts.tsx"
import { SessionRows } from "./SessionRows.tsx"

/** A layer over the page that Esc closes; the focus goes back to where it was. */
const Overlay = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => {
  const page = usePage()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const first = box.current?.querySelector<HTMLElement>("input, button, [tabindex]")
    first?.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const close = () => (page.overlay.value = undefined)
  return (
    <div class="backdrop" onMouseDown={(event) => (event.target === event.currentTarget ? close() : undefined)}>
      <div
        class="overlay"
        ref={box}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === "Escape") close()
        }}
      >
        {children}
      </div>
    </div>
  )
}

/** A line of the palette. */
interface Choice {
  readonly label: string
  readonly command?: string
  readonly obstacle?: string | undefined
  readonly choose: () => void
}

/** True if the words of the query occur in the text in their order. */
const matches = (query: string, text: string): boolean => {
  let at = 0
  const lower = text.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .every((word) => {
      const found = lower.indexOf(word, at)
      at = found + word.length
      return found !== -1
    })
}

const useChoices = (query: string): ReadonlyArray<Choice> => {
  const page = usePage()
  const view = page.view.value
  const sessions: ReadonlyArray<Choice> = [...page.sessions.value.keys()].map((session) => ({
    label: `Session ${session}`,
    choose: () => (page.chosen.value = session)
  }))
  const list: Choice = { label: "All sessions", command: "sigtrap sessions", choose: () => (page.chosen.value = "") }
  if (view === undefined) return sessions.filter(({ label }) => matches(query, label))
  const source = view.source.value
  const line = /^:(\d+)$/.exec(query)?.[1] ?? /\b(\d+)$/.exec(query)?.[1]
  const stop = /^#(\d+)$/.exec(query)?.[1]
  const name = source === undefined ? "" : fileName(source.file)
  const { state } = view.session.snapshot.value
  if (stop !== undefined) return [{ label: `Look at stop ${stop}`, choose: () => void view.look(Number(stop)) }]
  const ofLine: ReadonlyArray<Choice> =
    line === undefined || source === undefined
      ? []
      : [
          {
            label: `Run until ${name}:${line}`,
            command: `sigtrap until ${name}:${line}`,
            obstacle: obstacleOf(page, view, actions.until),
            choose: () => void run(page, view, actions.until, `${source.file}:${line}`)
          },
          { label: `Go to line ${line}`, choose: () => void view.open(source.file, Number(line)) },
          {
            label: `Break at ${name}:${line}`,
            command: `sigtrap break ${name}:${line}`,
            choose: () =>
              void page.act(
                "break",
                { session: view.session.name, at: `${source.file}:${line}` },
                `sigtrap break ${name}:${line}`
              )
          }
        ]
  if (query.startsWith(":")) return ofLine
  const all: ReadonlyArray<Choice> = [
    ...Object.values(actions)
      .filter(({ id }) => id !== "until")
      .map((action) => ({
        label: action.label,
        command: `sigtrap ${action.id}`,
        obstacle: obstacleOf(page, view, action),
        choose: () => void run(page, view, action)
      })),
    { label: "Take or give control", command: "sigtrap control take", choose: () => void toggleControl(page, view) },
    {
      label: "Explain why the program is here",
      command: "sigtrap explain",
      obstacle: state === "stopped" ? undefined : "The program is not stopped.",
      choose: () => void showExplanation(page, view)
    },
    ...view.stops.value.toReversed().map((one) => ({
      label: `Stop ${one.stop}: ${reasonOf(one)} ${placeOf(one.location) ?? ""}`,
      command: `sigtrap context --stop ${one.stop}`,
      choose: () => void view.look(one.stop)
    })),
    ...sessions,
    list
  ]
  return [...ofLine, ...all.filter(({ label }) => matches(query, label))].slice(0, 12)
}

const Palette = () => {
  const page = usePage()
  const [query, setQuery] = useState("")
  const [at, setAt] = useState(0)
  const choices = useChoices(query)
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined || choice.obstacle !== undefined) return
    page.overlay.value = undefined
    choice.choose()
  }
  return (
    <Overlay label="Search and actions">
      <input
        class="paletteInput"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={`choice-${at}`}
        aria-label="Action, line (:16), stop (#12) or session"
        placeholder="Action, line (:16), stop (#12) or session"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
          if (by !== 0) {
            event.preventDefault()
            setAt(Math.min(choices.length - 1, Math.max(0, at + by)))
          }
          if (event.key === "Enter") choose(choices[at])
        }}
      />
      <ul class="choices" id="choices" role="listbox" aria-label="Choices">
        {choices.map((choice, index) => (
          <li
            key={choice.label}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            aria-disabled={choice.obstacle === undefined ? undefined : "true"}
            class="choice"
            onClick={() => choose(choice)}
          >
            <span>{choice.label}</span>
            <code>{choice.obstacle ?? choice.command ?? ""}</code>
          </li>
        ))}
        {choices.length === 0 ? <li class="empty">Nothing has these words.</li> : null}
      </ul>
    </Overlay>
  )
}

/** The keys, by what they do. */
const keys: ReadonlyArray<readonly [string, string]> = [
  ["Continue or pause", "F8 · Ctrl+\\ · c, p"],
  ["Step over", "F10 · Ctrl+' · n"],
  ["Step into", "F11 · Ctrl+; · s"],
  ["Step out", "Shift+F11 · Ctrl+Shift+; · f"],
  ["Run to line", "Ctrl+F10"],
  ["Breakpoint on the line", "F9 · b"],
  ["Edit the breakpoint", "Shift+B"],
  ["Frame up, frame down", "u, d"],
  ["Take or give control", "t"],
  ["One stop back, one stop on", "[ and ]"],
  ["Back to now", "Esc"],
  ["Watch an expression", "w"],
  ["Copy as command", "y"],
  ["Find", "/"],
  ["Search and actions", "Ctrl+K"],
  ["Console, source, values, Activity, stack", "Alt+1 … Alt+5"]
]

const Keys = () => (
  <Overlay label="Keys">
    <h2>Keys</h2>
    <p>Letters act while the focus is in source, stack, values or Activity.</p>
    <table class="keys" tabIndex={-1}>
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
  </Overlay>
)

/** All that the debugger or a build wrote. */
const WordsOverlay = () => {
  const page = usePage()
  const { text, title } = page.words.value
  return (
    <Overlay label="All its words">
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
          <h2>Sessions</h2>
          <SessionRows onChoose={() => (page.overlay.value = undefined)} />
        </Overlay>
      )
    case "words":
      return <WordsOverlay />
    default:
      return null
  }
}
