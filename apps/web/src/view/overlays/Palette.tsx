/**
 * The palette: actions with their commands, lines, stops, files, functions and sessions, found by their words.
 */
import { useState } from "preact/hooks"
import { Icon } from "../parts/Icons.tsx"
import { usePage } from "../parts/PageContext.ts"
import { Overlay } from "./Overlay.tsx"
import { type Choice, useChoices } from "./PaletteChoices.ts"
import { keepEnter } from "../parts/Parts.tsx"
import { usePhone } from "../layout/WindowWidths.ts"

/** Draws the palette with the choices that match what is typed. */
export const Palette = () => {
  const page = usePage()
  const [query, setQuery] = useState("")
  const [at, setAt] = useState(0)
  const phone = usePhone()
  const choices = useChoices(query)
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined || choice.obstacle !== undefined) return
    page.overlay.value = undefined
    choice.choose()
  }
  return (
    <Overlay label="Search and actions">
      <div class="paletteSearch">
        <Icon name="search" />
        <input
          class="paletteInput"
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="choices"
          aria-activedescendant={choices.length === 0 ? undefined : `choice-${at}`}
          aria-label="Action, line (:16), stop (#12), file, function or session"
          placeholder={
            phone ? "Action, :16, #12, file or function" : "Action, line (:16), stop (#12), file, function or session"
          }
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            keepEnter(event)
            const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
            if (by !== 0) {
              event.preventDefault()
              setAt(Math.max(0, Math.min(choices.length - 1, at + by)))
            }
            if (event.key === "Enter") choose(choices[at])
          }}
        />
      </div>
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
        {choices.length === 0 ? <li class="empty">No match.</li> : null}
      </ul>
    </Overlay>
  )
}
