/**
 * Memory at an address, or around the value that is chosen in Variables, whose bytes are marked.
 */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Data, Report, Value } from "../../connection/Answers.ts"
import {
  contains,
  isIn,
  markedWords,
  type Place,
  placeExpressions,
  placeOfAnswers,
  rowOf
} from "../../session/values/MarkedBytes.ts"
import { unreadableWords } from "../../session/words/StopWords.ts"
import { expressionOf } from "../../session/words/ValueWords.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { panelObstacle } from "../layout/PanelNeeds.ts"
import { keepKey } from "../parts/Parts.tsx"
import { selectedValue } from "../values/SelectedValue.ts"
import { usePhone } from "../layout/WindowWidths.ts"

type Memory = Data<"memory.read">

/** Bytes that are read at a time. */
const readSize = 256

/** Returns rows of bytes, each as two digits, or `??` if it cannot be read. */
const rowsOf = ({ data, unreadable }: Pick<Memory, "data" | "unreadable">, size: number) => {
  const bytes = [...atob(data)].map((character, at) =>
    unreadable.some(([from, to]) => at >= from && at < to)
      ? "??"
      : (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")
  )
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size))
}

/** Returns bytes as text: what is not a printable character of ASCII is a dot. */
const textOf = (bytes: ReadonlyArray<string>): string =>
  bytes
    .map((byte) => (/^(?:[2-6][0-9a-f]|7[0-9a-e])$/.test(byte) ? String.fromCodePoint(parseInt(byte, 16)) : "·"))
    .join("")

/** Most variables whose memory is proposed. */
const mostProposed = 3

/** Returns expressions for the memory of the shown variables: a pointer leads to what it points to. */
const proposalsOf = (values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  values
    .filter(({ attributes = [], name }) => attributes.length === 0 && /^[A-Za-z_]\w*$/.test(name))
    .slice(0, mostProposed)
    .map(({ name, value }) => (value.startsWith("0x") ? name : `&${name}`))

/** Memory, and the report of the stop at which it was read. */
interface ReadMemory extends Memory {
  readonly report: Report | undefined
}

/** A value, where its bytes are, and the report of the stop at which that was read. */
interface Marked {
  readonly value: Value
  readonly place: Place
  readonly report: Report | undefined
}

/** Returns where memory begins; 0 without it. */
const addressOf = (memory: ReadMemory | undefined): bigint =>
  BigInt(/^0x[0-9a-f]+/i.exec(memory?.address ?? "")?.[0] ?? "0")

/** The value that is chosen in this session. Undefined if it has no address. */
const useMarked = (): Marked | undefined => {
  const page = usePage()
  const view = useView()
  const found = useSignal<Marked | undefined>(undefined)
  const chosen = selectedValue.value
  const value = chosen?.session === view.session.name ? chosen.value : undefined
  const expression = value === undefined ? undefined : expressionOf(value)
  const [report, live, frame] = [view.report.value, view.live.value, chosen?.frame ?? view.shownFrame.value?.ref]
  useEffect(() => {
    if (!live || value === undefined || expression === undefined) return undefined
    const abort = new AbortController()
    const input = {
      session: view.session.name,
      expressions: [...placeExpressions(expression), expression] as const,
      ...(frame === undefined ? {} : { frame })
    }
    void page.calls.call("print", input, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      const [address, size, read] = outcome.ok ? outcome.answer.data.values : []
      const place = placeOfAnswers(address?.value, size?.value)
      found.value =
        place === undefined || read?.value === undefined
          ? undefined
          : { report, place, value: { ...value, ...read, value: read.value } }
    })
    return () => abort.abort()
  }, [report, live, frame, expression])
  return value === undefined ? undefined : found.value
}

/** Memory at an address or an expression, 16 bytes a row, 8 on a phone. Without one it is the memory around the chosen value. */
const MemoryBytes = () => {
  const page = usePage()
  const view = useView()
  const address = useSignal("")
  const asked = useSignal("")
  const around = useSignal("")
  const memory = useSignal<ReadMemory | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const together = useRef<{ readonly memory?: ReadMemory | undefined; readonly marked?: Marked | undefined }>({})
  const marked = useMarked()
  // A report that was read again at the same stop says that a client changed something.
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  const isOffered = view.status.offers("read-memory")
  const chosen = marked?.place
  useEffect(() => {
    // The memory stays where it is while the chosen value is in it.
    if (chosen !== undefined && !contains(BigInt(around.value), readSize, chosen)) around.value = rowOf(chosen)
  }, [chosen])
  const wanted = asked.value === "" ? around.value : asked.value
  useEffect(() => {
    if (!live || !isOffered || wanted === "") return undefined
    const abort = new AbortController()
    const input = {
      session: view.session.name,
      address: wanted,
      count: readSize,
      ...view.inFrame.value
    }
    void page.calls.call("memory.read", input, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      problem.value = outcome.ok ? undefined : outcome.failure.message
      memory.value = outcome.ok ? { ...outcome.answer.data, report } : undefined
    })
    return () => abort.abort()
  }, [report, live, frame, wanted, isOffered])
  const size = usePhone() ? 8 : 16
  const proposals = live ? proposalsOf(view.values.value) : []
  // Bytes and marks that are shown together are of one stop.
  const isOne = marked === undefined || memory.value === undefined || marked.report === memory.value.report
  if (isOne) together.current = { marked, memory: memory.value }
  const shown = together.current
  const start = addressOf(shown.memory)
  const place = shown.marked?.place
  const isShown = place !== undefined && contains(start, shown.memory?.count ?? 0, place)
  // What is read is of the current stop.
  const past = view.past.value
  const failed = live ? undefined : unreadableWords(view.session.snapshot.value)
  const obstacle = past
    ? "Memory was not read at this stop."
    : problem.value === undefined
      ? undefined
      : (failed ?? problem.value)
  const words = past || shown.marked === undefined || !isShown ? undefined : markedWords(shown.marked.value)
  return (
    <div class="memory">
      <div class="find">
        <input
          type="text"
          aria-label="Address or expression"
          placeholder="Address or expression"
          value={address.value}
          onInput={(event) => (address.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            keepKey(event)
            if (event.key === "Enter") asked.value = address.value.trim()
          }}
        />
        <span class="note" title={words} key={words}>
          {words === undefined ? "" : `Marked: ${words}`}
        </span>
      </div>
      {obstacle === undefined ? null : <p class="empty">{obstacle}</p>}
      {wanted === "" && !past ? (
        <p class="empty">
          {unreadableWords(view.session.snapshot.value) ?? "Write an address, or choose a value, to see its bytes."}
          {proposals.map((one) => (
            <button
              key={one}
              type="button"
              class="link proposal"
              onClick={() => {
                address.value = one
                asked.value = one
              }}
            >
              {one}
            </button>
          ))}
        </p>
      ) : null}
      <div class={`scroll${live ? "" : " dim"}`} tabIndex={0} role="region" aria-label="Memory">
        {rowsOf((past ? undefined : shown.memory) ?? { data: "", unreadable: [] }, size).map((bytes, at) => (
          <p key={at} class="bytes">
            <span class="address">{(start + BigInt(at * size)).toString(16)}</span>
            {bytes.map((byte, index) => {
              const isMarked = isIn(place, start + BigInt(at * size + index))
              return (
                <span key={index} class={isMarked ? "marked" : byte === "00" || byte === "??" ? "zero" : undefined}>
                  {byte}
                </span>
              )
            })}
            <span class="ascii" aria-hidden="true">
              {textOf(bytes)}
            </span>
          </p>
        ))}
      </div>
    </div>
  )
}

/** Memory, or that the debugger cannot read it. */
export const MemoryPanel = () => {
  const obstacle = panelObstacle(useView(), "Memory")
  return obstacle === undefined ? <MemoryBytes /> : <p class="empty">{obstacle}</p>
}
