/**
 * The instructions of the shown frame, with their source lines between them.
 */
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Data } from "../../connection/Answers.ts"
import { fileName, shortFunction } from "../../session/words/StopWords.ts"
import { useKeptFocus } from "../parts/KeptFocus.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { panelObstacle } from "../layout/PanelNeeds.ts"
import { useWide } from "../layout/WindowWidths.ts"

type Instructions = Data<"disassemble">["instructions"]
type Instruction = Instructions[number]

/** The text of the source line of an instruction, or the name of its file if another file is shown. */
const SourceLine = ({ of: { file, line = 0 } }: { readonly of: Instruction }) => {
  const shown = useView().source.value
  if (file === undefined) return null
  return <>{file === shown?.file ? shown.lines[line - 1]?.trim() : fileName(file)}</>
}

/** The text of an instruction: its name, its operands and what the debugger adds after `;`. */
const InstructionText = ({ text }: { readonly text: string }) => {
  const {
    comment = "",
    name = text,
    operands = ""
  } = /^(?<name>\S+)(?<operands>[^;]*)(?<comment>;.*)?$/s.exec(text)?.groups ?? {}
  return (
    <>
      <span class="kw">{name}</span>
      {operands.trimEnd()}
      {comment === "" ? null : <span class="comment">{comment}</span>}
    </>
  )
}

/** The instructions of the shown frame. */
export const Disassembly = () => {
  const page = usePage()
  const view = useView()
  const wide = useWide()
  const read = useSignal<Instructions>([])
  const problem = useSignal<string | undefined>(undefined)
  const box = useRef<HTMLDivElement>(null)
  const frame = view.shownFrame.value
  const [stop, state, past] = [view.reportStop.value, view.session.snapshot.value.state, view.past.value]
  const isOffered = view.status.offers("disassembly")
  useKeptFocus(box)
  useEffect(() => {
    if (state !== "stopped" || past || !isOffered || frame === undefined) return undefined
    const abort = new AbortController()
    const session = view.session.name
    void page.calls
      .call("disassemble", { session, frame: frame.ref, count: 60, bytes: true }, abort.signal)
      .then((outcome) => {
        if (abort.signal.aborted) return
        if (outcome.ok) {
          read.value = outcome.answer.data.instructions
          problem.value = undefined
        } else problem.value = outcome.failure.message
      })
    return () => abort.abort()
  }, [view, stop, state, past, frame?.ref, isOffered])
  useLayoutEffect(() => {
    const element = box.current
    const row = element?.querySelector<HTMLElement>(".current")
    if (element === null || row === null || row === undefined) return
    const top = row.offsetTop - element.scrollTop
    if (top < element.clientHeight * 0.1 || top > element.clientHeight * 0.8)
      // A whole number of rows, so that none is cut at the top.
      element.scrollTop = row.offsetTop - Math.round((element.clientHeight * 0.4) / row.offsetHeight) * row.offsetHeight
  }, [read.value])
  const obstacle = panelObstacle(view, "Disassembly")
  if (obstacle !== undefined) return <p class="empty">{obstacle}</p>
  if (past) return <p class="empty">Instructions were not read at this stop.</p>
  if (problem.value !== undefined) return <p class="empty">{problem.value}</p>
  const count = read.value.length
  const counted = count === 0 ? undefined : `${count} instruction${count === 1 ? "" : "s"}`
  const words = [shortFunction(frame?.function ?? ""), counted].filter((part) => part !== undefined).join(", ")
  return (
    <>
      {wide ? (
        <header class="panelHead">
          <h2>Disassembly</h2>
          <span class="note" key={words}>
            {words}
          </span>
        </header>
      ) : null}
      <div
        class={`scroll instructions${state === "stopped" ? "" : " dim"}`}
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Instructions"
      >
        <table>
          <tbody>
            {read.value.map((instruction, at) => {
              const { address, bytes, current, file, line, text } = instruction
              const isHere = current === true && state === "stopped"
              const before = read.value[at - 1]
              const begins = line !== undefined && (line !== before?.line || file !== before?.file)
              return [
                begins ? (
                  <tr key={`s${address}`} class="sourceRow">
                    <td>{line}</td>
                    <td colSpan={2}>
                      <SourceLine of={instruction} />
                    </td>
                  </tr>
                ) : null,
                <tr key={address} class={isHere ? "current" : undefined} aria-current={isHere ? "location" : undefined}>
                  <td>{address.replace(/^0x0*/, "")}</td>
                  <td class="bytes">{bytes}</td>
                  <td title={text}>
                    <InstructionText text={text} />
                  </td>
                </tr>
              ]
            })}
          </tbody>
        </table>
      </div>
    </>
  )
}
