/**
 * What the program has written, by channel, with a filter. Escape sequences are shown as text.
 */
import { useSignal } from "@preact/signals"
import { useState } from "preact/hooks"
import { foundWords, type OutputRow } from "../../session/output/OutputRows.ts"
import { placeOf, shortReasonOf } from "../../session/words/StopWords.ts"
import { linesOf } from "../../session/output/WrappedLines.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button, keepKey, VirtualRows } from "../parts/Parts.tsx"
import { quoteForPaste } from "@sigtrap/protocol/ShellWords"

/** Returns the regular expression of a filter; undefined while it is not valid, such as `(` that is being completed. */
const patternOf = (filter: string): RegExp | undefined => {
  try {
    return new RegExp(filter)
  } catch {
    return undefined
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

/** What lines are called that the program did not write to its standard output. */
const titles = new Map<OutputRow["channel"], string>([
  ["stderr", "stderr"],
  ["log", "logpoint"]
])

/** The lines that rows take in a panel. They are counted once for each number of columns. */
const counted = new WeakMap<OutputRow, { readonly columns: number; readonly lines: number }>()

const countLines = (row: OutputRow, columns: number): number => {
  if (row.channel === "gap" || row.channel === "stop" || row.channel === "end") return 1
  const known = counted.get(row)
  if (known?.columns === columns) return known.lines
  const lines = linesOf(row.text, columns)
  counted.set(row, { columns, lines })
  return lines
}

/** Returns the width of a character of the output in pixels. */
const characterWidth = (): number => {
  const line = document.createElement("p")
  line.className = "outputLine ruler"
  line.textContent = "0".repeat(100)
  document.body.append(line)
  const { width } = line.getBoundingClientRect()
  line.remove()
  return width / 100
}

/** Returns a function that counts the columns of a panel of some width. The last answer is kept. */
const columnCounter = () => {
  let known = { width: 0, columns: 1 }
  return (width: number): number => {
    if (known.width !== width)
      known = { width, columns: Math.max(1, Math.floor((width - 2 * padding) / characterWidth() + 0.001)) }
    return known.columns
  }
}

/** The space beside a line, in pixels. */
const padding = 12

/** The output of the program. */
export const OutputPanel = () => {
  const page = usePage()
  const view = useView()
  const filter = useSignal("")
  const [line, setLine] = useState("")
  const [columnsOf] = useState(columnCounter)
  const { lines, rows } = view.session.output.value
  const pattern = patternOf(filter.value)
  const accepts = (text: string) => pattern?.test(text) ?? text.includes(filter.value)
  // The places where output is missing are shown among the lines that were found.
  const shown = filter.value === "" ? rows : rows.filter(({ channel, text }) => channel === "gap" || accepts(text))
  const session = view.session.name
  const { core, state } = view.session.snapshot.value
  // A stopped program reads the line once it continues. The field stays: what is being written in it is not lost at a stop.
  const canWrite = (state === "running" || state === "stopped") && core !== true && page.may("control")
  const send = async () => {
    setLine("")
    const outcome = await page.act(
      "input",
      { session, text: line, newline: true },
      `sigtrap input ${quoteForPaste(line)} --session ${session}`
    )
    if (!outcome.ok) setLine((now) => (now === "" ? line : now))
  }
  return (
    <div class="output">
      <div class="find">
        <input
          type="text"
          aria-label="Filter the output"
          placeholder="Filter, as a regular expression"
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
          onKeyDown={keepKey}
        />
        <span class="note">
          {filter.value === "" ? "" : foundWords(shown, rows, lines)}
          {pattern === undefined ? " · not a regular expression, searched as text" : ""}
        </span>
      </div>
      {rows.length === 0 ? <p class="empty">This program has written nothing yet.</p> : null}
      <VirtualRows
        atEnd
        count={shown.length}
        height={16}
        label="Output"
        linesOf={(index, width) => {
          const row = shown[index]
          return row === undefined ? 1 : countLines(row, columnsOf(width))
        }}
        role="log"
        render={(index) => {
          const row = shown[index]
          if (row?.stop !== undefined) return <StopMark key={row.key} stop={row.stop} />
          return row === undefined ? null : (
            <p key={row.key} class={`outputLine ${row.channel}`} title={titles.get(row.channel)}>
              {row.text}
            </p>
          )
        }}
      />
      {canWrite ? (
        <div class="prompt">
          <input
            type="text"
            aria-label="Line for the input of the program"
            placeholder="Input of the program"
            value={line}
            onInput={(event) => setLine(event.currentTarget.value)}
            onKeyDown={(event) => {
              keepKey(event)
              if (event.key === "Enter") void send()
            }}
          />
          <Button label="Send" onClick={() => void send()} />
        </div>
      ) : null}
    </div>
  )
}
