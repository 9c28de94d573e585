/**
 * Registers and memory of the shown frame.
 */
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Data, Value } from "../connection/Answers.ts"
import { usePage, useView } from "./PageContext.ts"
import { usePhone } from "./Widths.ts"

type Registers = Data<"registers">["groups"][number]["registers"]
type Memory = Data<"memory.read">

/** The general registers. Those that differ from the stop before are marked. */
export const RegisterPanel = () => {
  const page = usePage()
  const view = useView()
  const registers = useSignal<Registers>([])
  const problem = useSignal<string | undefined>(undefined)
  // A report that was read again at the same stop says that a client changed something.
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  useEffect(() => {
    if (!live) return undefined
    const abort = new AbortController()
    void page.calls
      .call("registers", { session: view.session.name, ...view.inFrame.value }, abort.signal)
      .then((outcome) => {
        if (abort.signal.aborted) return
        problem.value = outcome.ok ? undefined : outcome.failure.message
        if (outcome.ok) registers.value = outcome.answer.data.groups[0]?.registers ?? []
      })
    return () => abort.abort()
  }, [report, live, frame])
  if (view.past.value) return <p class="empty">Registers were not read at this stop.</p>
  if (problem.value !== undefined) return <p class="empty">{problem.value}</p>
  return (
    <div class={`scroll${live ? "" : " dim"}`} tabIndex={0} role="region" aria-label="Registers">
      <ul class="registers">
        {registers.value.map(({ changed, name, old, value }) => (
          <li key={name} class="row register">
            <span class="name">{name}</span>
            {value.startsWith("<error") ? (
              <span class="none" title={value}>
                cannot be read in this frame
              </span>
            ) : (
              <span class={changed === true ? "changed" : undefined}>{value}</span>
            )}
            <span class="was">{changed === true && old !== undefined ? `was ${old}` : ""}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns rows of bytes, each as two digits, or `??` if it cannot be read. */
const rowsOf = ({ data, unreadable }: Pick<Memory, "data" | "unreadable">, size: number) => {
  const bytes = [...atob(data)].map((character, at) =>
    unreadable.some(([from, to]) => at >= from && at < to)
      ? "??"
      : (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0")
  )
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size))
}

/** Most variables whose memory is proposed. */
const mostProposed = 3

/** Returns expressions for the memory of the shown variables: a pointer leads to what it points to. */
const proposalsOf = (values: ReadonlyArray<Value>): ReadonlyArray<string> =>
  values
    .filter(({ attributes = [], name }) => attributes.length === 0 && /^[A-Za-z_]\w*$/.test(name))
    .slice(0, mostProposed)
    .map(({ name, value }) => (value.startsWith("0x") ? name : `&${name}`))

/** Memory at an address or an expression, 16 bytes a row, 8 on a phone. */
export const MemoryPanel = () => {
  const page = usePage()
  const view = useView()
  const address = useSignal("")
  const asked = useSignal("")
  const memory = useSignal<Memory | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const [report, live, frame] = [view.report.value, view.live.value, view.shownFrame.value?.ref]
  useEffect(() => {
    if (!live || asked.value === "") return undefined
    const abort = new AbortController()
    const input = { session: view.session.name, address: asked.value, count: 256, ...view.inFrame.value }
    void page.calls.call("memory.read", input, abort.signal).then((outcome) => {
      if (abort.signal.aborted) return
      problem.value = outcome.ok ? undefined : outcome.failure.message
      memory.value = outcome.ok ? outcome.answer.data : undefined
    })
    return () => abort.abort()
  }, [report, live, frame, asked.value])
  const size = usePhone() ? 8 : 16
  const proposals = live ? proposalsOf(view.values.value) : []
  const start = BigInt(/^0x[0-9a-f]+/i.exec(memory.value?.address ?? "")?.[0] ?? "0")
  return (
    <div class="memory">
      <div class="find">
        <input
          type="text"
          aria-label="Address or expression"
          placeholder="Address or expression, such as &items"
          value={address.value}
          onInput={(event) => (address.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === "Enter") asked.value = address.value
          }}
        />
      </div>
      {problem.value === undefined ? null : <p class="empty">{problem.value}</p>}
      {asked.value === "" ? (
        <p class="empty">
          Write an address to see its bytes.
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
      <div class="scroll" tabIndex={0} role="region" aria-label="Memory">
        {rowsOf(memory.value ?? { data: "", unreadable: [] }, size).map((bytes, at) => (
          <p key={at} class="bytes">
            <span class="address">{(start + BigInt(at * size)).toString(16)}</span>
            {bytes.map((byte, index) => (
              <span key={index} class={byte === "00" || byte === "??" ? "zero" : undefined}>
                {byte}
              </span>
            ))}
          </p>
        ))}
      </div>
    </div>
  )
}
