/**
 * The debuggers that the daemon finds: in one sentence on the first screen, and each with what to do about it in a layer.
 */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Debugger } from "../../connection/Answers.ts"
import type { Page } from "../../session/Page.ts"
import { Command } from "../parts/CopyableCommand.tsx"
import { Icon } from "../parts/Icons.tsx"
import { Overlay } from "./Overlay.tsx"
import { usePage } from "../parts/PageContext.ts"

/** The last answer; undefined before it. */
const debuggers = signal<ReadonlyArray<Debugger> | undefined>(undefined)
const problem = signal<string | undefined>(undefined)

/** Asks for the debuggers. The last answer stays until the new one has come. */
const check = async (page: Page): Promise<void> => {
  const outcome = await page.calls.call("debuggers", {})
  problem.value = outcome.ok ? undefined : outcome.failure.message
  if (outcome.ok) debuggers.value = outcome.answer.data.debuggers
}

const named = ({ name, version }: Debugger): string => (version === undefined ? name : `${name} ${version}`)

/** Returns which debuggers can be used, the first of each kind: `lldb-dap 19.1.7 and debugpy 1.6.3 were found.` */
export const foundWords = (all: ReadonlyArray<Debugger>): string => {
  const usable = all.filter(({ path, problem: why }) => path !== undefined && why === undefined)
  const first = usable.filter(({ name }, index) => usable.findIndex((one) => one.name === name) === index).map(named)
  const last = first.at(-1)
  if (last === undefined) return "No debugger was found."
  if (first.length === 1) return `${last} was found.`
  return `${first.slice(0, -1).join(", ")} and ${last} were found.`
}

/** The sentence of the first screen. */
export const FoundDebuggers = () => {
  const page = usePage()
  const all = debuggers.value
  // A page of one session may not see what belongs to no session.
  const confined = page.credentials.session !== undefined
  const answered = all !== undefined || problem.value !== undefined
  useEffect(() => (confined ? undefined : void check(page)), [])
  return (
    <p class="connected">
      <Icon name="play" />
      {confined ? (
        <span>Connected to the daemon.</span>
      ) : (
        <span>
          Connected to the daemon. {all === undefined ? "" : `${foundWords(all)} `}
          {/* The answer comes later, and moves nothing: the link follows it. */}
          {answered ? (
            <button type="button" class="link" onClick={() => (page.overlay.value = "debuggers")}>
              Check everything
            </button>
          ) : null}
        </span>
      )}
    </p>
  )
}

const DebuggerRow = ({ one }: { readonly one: Debugger }) => (
  <li>
    <p>
      <strong>{named(one)}</strong> <span class="languages">{one.languages.join(", ")}</span>
    </p>
    {one.path === undefined ? null : <code>{one.path}</code>}
    {one.problem === undefined ? null : (
      <p class="why">
        {one.problem} · <code>{one.remedy}</code>
      </p>
    )}
  </li>
)

/** The layer with every debugger. */
export const DebuggerList = () => {
  const page = usePage()
  const all = debuggers.value
  useEffect(() => void check(page), [])
  return (
    <Overlay label="Debuggers">
      <h2>Debuggers</h2>
      <p>The daemon finds these on its own PATH. To test each with a small program:</p>
      <Command text="sigtrap doctor" />
      {problem.value === undefined ? null : (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <ul class="debuggers" tabIndex={0} aria-label="Debuggers">
        {(all ?? []).map((one) => (
          <DebuggerRow key={`${one.name} ${one.path ?? ""}`} one={one} />
        ))}
      </ul>
    </Overlay>
  )
}
