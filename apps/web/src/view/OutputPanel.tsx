/**
 * What the program has written, by channel, with a filter. Escape sequences are shown as text.
 */
import { useSignal } from "@preact/signals"
import { useState } from "preact/hooks"
import { placeOf, shortReasonOf } from "../session/StopWords.ts"
import { usePage, useView } from "./PageContext.ts"
import { Button, VirtualRows } from "./Parts.tsx"

const matcher = (filter: string): ((text: string) => boolean) => {
  if (filter === "") return () => true
  try {
    const pattern = new RegExp(filter)
    return (text) => pattern.test(text)
  } catch {
    return (text) => text.includes(filter)
  }
}

/** The place in the output where the program stopped; leads to that stop. */
const StopMark = ({ stop }: { readonly stop: number }) => {
  const view = useView()
  const known = view.stopsByNumber.value.get(stop)
  const words = [known === undefined ? undefined : shortReasonOf(known), placeOf(known?.location)]
  return (
    <button
      type="button"
      class="outputLine stop"
      title={`Jump to stop ${stop}`}
      tabIndex={-1}
      onClick={() => void view.look(stop)}
    >
      {[`stop ${stop}`, ...words].filter((word) => word !== undefined).join(" · ")}
    </button>
  )
}

/** The output of the program. */
export const OutputPanel = () => {
  const page = usePage()
  const view = useView()
  const filter = useSignal("")
  const [line, setLine] = useState("")
  const { lines, rows } = view.session.output.value
  const accepts = matcher(filter.value)
  const shown = filter.value === "" ? rows : rows.filter(({ text }) => accepts(text))
  const session = view.session.name
  return (
    <div class="output">
      <div class="find">
        <input
          type="text"
          aria-label="Filter the output"
          placeholder="Filter, as a regular expression"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
          onKeyDown={(event) => event.stopPropagation()}
        />
        <span class="note">
          {filter.value === ""
            ? ""
            : `${shown.length.toLocaleString("en")} of ${lines.toLocaleString("en")} line${lines === 1 ? "" : "s"}`}
        </span>
      </div>
      {rows.length === 0 ? <p class="empty">This program has written nothing yet.</p> : null}
      <VirtualRows
        atEnd
        count={shown.length}
        height={16}
        label="Output"
        role="log"
        render={(index) => {
          const row = shown[index]
          if (row?.stop !== undefined) return <StopMark key={row.key} stop={row.stop} />
          return row === undefined ? null : (
            <p
              key={row.key}
              class={`outputLine ${row.channel}`}
              title={row.channel === "stderr" ? "stderr" : undefined}
            >
              {row.text}
            </p>
          )
        }}
      />
      {view.session.snapshot.value.state === "running" && page.may("control") ? (
        <div class="prompt">
          <input
            type="text"
            aria-label="Line for the input of the program"
            placeholder="Input of the program"
            value={line}
            onInput={(event) => setLine(event.currentTarget.value)}
            onKeyDown={(event) => {
              event.stopPropagation()
              if (event.key !== "Enter") return
              void page.act(
                "input",
                { session, text: line, newline: true },
                `sigtrap input '${line}' --session ${session}`
              )
              setLine("")
            }}
          />
          <Button
            label="Send"
            onClick={() => {
              void page.act(
                "input",
                { session, text: line, newline: true },
                `sigtrap input '${line}' --session ${session}`
              )
              setLine("")
            }}
          />
        </div>
      ) : null}
    </div>
  )
}
