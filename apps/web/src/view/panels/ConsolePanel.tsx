/**
 * The console: what this page and other clients read. It reads values by `print`. What would change the program is offered as "Run it
 * anyway" and never run by itself; a line that begins with `!` is a command of the debugger.
 */
import { signal } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import type { Failure, Value } from "../../connection/Answers.ts"
import { pastObstacle } from "../../session/actions/Actions.ts"
import { failureWords } from "../../session/words/FailureWords.ts"
import type { Page } from "../../session/Page.ts"
import type { SessionView } from "../../session/SessionView.ts"
import { entriesOfOthers, inOrder, type OthersEntry } from "../../session/activity/ConsoleEntries.ts"
import type { Who } from "../../session/words/ActorWords.ts"
import { unreadableWords } from "../../session/words/StopWords.ts"
import { cutClass, toneOf, valueWords } from "../../session/words/ValueWords.ts"
import { shortType } from "../../session/words/ShortTypes.ts"
import { warningWords } from "../../session/Warnings.ts"
import { quoteAlways, quoteForPaste } from "@sigtrap/protocol/ShellWords"
import { Icon } from "../parts/Icons.tsx"
import { opened, setOpen } from "../values/OpenedValues.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button, keepKey, Shape } from "../parts/Parts.tsx"
import { Children } from "../values/ValueChildren.tsx"
import { ValueRow } from "../values/ValueRow.tsx"

/** A line of the console with its answer. */
interface Entry {
  readonly key: string
  /** The first identity of the session. */
  readonly session: string
  /** Its identity when it answered. In the next daemon, what is inside a value cannot be read any more. */
  readonly id: string
  /** The newest event when it was answered. */
  readonly seq: number
  readonly text: string
  readonly value?: Value
  /** The stop at which it was read; what is inside is read only there. */
  readonly stop?: number
  readonly problem?: string
  /** The warnings of the answer, as sentences. */
  readonly warnings?: ReadonlyArray<string>
  /** True if the line can be run as code in the program. */
  readonly runnable?: boolean
}

/** Most entries that are kept. */
const kept = 500

const entries = signal<ReadonlyArray<Entry>>([])
const text = signal("")
const proposal = signal("")
const past = signal<ReadonlyArray<string>>([])
const place = signal(0)
let count = 0

const add = ({ session }: SessionView, entry: Omit<Entry, "key" | "session" | "id" | "seq">): void => {
  const placed = {
    ...entry,
    session: session.firstId,
    id: session.id,
    seq: session.seq.peek(),
    key: `own ${(count += 1)}`
  }
  entries.value = [...entries.value, placed].slice(-kept)
}

const failed = (page: Page, view: SessionView, line: string, failure: Failure, operation?: string): void => {
  const { hints = [] } = failure
  const words = failureWords(failure, page.credentials.tiers, operation)
  // A message quotes for a shell.
  const problem = line.includes("'") ? words.replace(quoteAlways(line), () => `“${line}”`) : words
  add(view, { text: line, problem, runnable: hints.some(({ operation }) => operation === "eval") })
}

/** Runs a line that changes the program. */
const runAnyway = async (page: Page, view: SessionView, expression: string): Promise<void> => {
  const session = view.session.name
  const obstacle = pastObstacle(view, "run code")
  if (obstacle !== undefined) return add(view, { text: expression, problem: obstacle })
  page.command.value = `sigtrap eval ${quoteForPaste(expression)}${view.frameWords.value} --session ${session}`
  const outcome = await page.calls.call("eval", { session, expression, ...view.inFrame.value })
  if (!outcome.ok) return failed(page, view, expression, outcome.failure, "eval")
  const { value } = outcome.answer.data
  const warnings = warningWords(outcome.answer.warnings)
  add(view, { text: expression, value, stop: view.reportStop.value, warnings })
}

const send = async (page: Page, view: SessionView, line: string): Promise<void> => {
  const session = view.session.name
  past.value = [...past.value.filter((one) => one !== line), line].slice(-100)
  place.value = past.value.length
  if (line.startsWith("!")) {
    const command = line.slice(1).trim()
    page.command.value = `sigtrap raw ${quoteForPaste(command)} --session ${session}`
    const outcome = await page.calls.call("raw", { session, command })
    if (!outcome.ok) return failed(page, view, line, outcome.failure, "raw")
    const warnings = warningWords(outcome.answer.warnings)
    return add(view, { text: line, value: { name: line, value: outcome.answer.data.output }, warnings })
  }
  const obstacle = pastObstacle(view, "read expressions")
  if (obstacle !== undefined) return add(view, { text: line, problem: obstacle })
  page.command.value = `sigtrap print ${quoteForPaste(line)}${view.frameWords.value} --session ${session}`
  const outcome = await page.calls.call("print", { session, expressions: [line], ...view.inFrame.value })
  if (!outcome.ok) return failed(page, view, line, outcome.failure)
  const [reading] = outcome.answer.data.values
  if (reading?.error !== undefined) return failed(page, view, line, { ...reading.error, details: {} })
  const warnings = warningWords(outcome.answer.warnings)
  if (reading !== undefined)
    add(view, { text: line, value: { ...reading, value: reading.value ?? "" }, stop: view.reportStop.value, warnings })
}

const complete = async (page: Page, view: SessionView): Promise<void> => {
  const asked = text.value
  if (asked === "" || asked.startsWith("!") || !view.live.value) {
    proposal.value = ""
    return
  }
  const outcome = await page.calls.call("complete", { session: view.session.name, text: asked, ...view.inFrame.value })
  if (!outcome.ok || text.value !== asked) return
  const [first] = outcome.answer.data.completions
  proposal.value = first !== undefined && first.text.startsWith(asked) ? first.text.slice(asked.length) : ""
}

/** The type of an answer. */
const TypeName = ({ type }: { readonly type: string | undefined }) =>
  type === undefined ? null : (
    <span class="type" title={type}>
      {shortType(type)}
    </span>
  )

/** An answer in one line. What is inside follows below it, as long as the program is at that stop. */
const AnswerTree = ({
  path,
  stop,
  value
}: {
  readonly path: string
  readonly value: Value | undefined
  readonly stop: number | undefined
}) => {
  const view = useView()
  if (value === undefined) return null
  const current = view.live.value && stop === view.reportStop.value
  const canOpen = current && (value.ref !== undefined || (value.children?.length ?? 0) > 0)
  const open = canOpen && opened.value.has(path)
  return (
    <>
      <p class={`answered${cutClass(value.value)}`} title={value.value}>
        {canOpen ? (
          <button
            type="button"
            class="opener"
            aria-expanded={open}
            aria-label={`What is inside ${value.name}`}
            onClick={() => setOpen(path, !open)}
          >
            <Icon name={open ? "down" : "right"} />
          </button>
        ) : null}
        <span class={toneOf(value)}>{valueWords(value)}</span> <TypeName type={value.type} />
      </p>
      {open ? (
        <ul class="values" role="tree" aria-label={`What is inside ${value.name}`}>
          <Children Row={ValueRow} value={value} path={path} depth={0} />
        </ul>
      ) : null}
    </>
  )
}

/** The line of an entry, and the shape of the client that wrote it if it is another one. */
const Asked = ({ actor, text: line, who }: { readonly actor?: string; readonly text: string; readonly who: Who }) => (
  <p class={`asked ${who}`}>
    <span class="prompt" aria-hidden="true">
      ›
    </span>{" "}
    <span class="expression">{line}</span>
    {actor === undefined ? null : (
      <span class="by" title={`by ${actor}`}>
        <span class="hiddenName">by {actor}</span>
        <Shape who={who} />
      </span>
    )}
  </p>
)

/** Longest time between the clicks of a double click, in milliseconds. */
const doubleClick = 500

/** A line of this page with its answer. */
const OwnEntry = ({
  entry: { id, key, problem, runnable, stop, text: line, value, warnings = [] }
}: {
  readonly entry: Entry
}) => {
  const page = usePage()
  const view = useView()
  /** When the line was run last, in milliseconds; infinite while it runs. A double click runs it once. */
  const ran = useRef(0)
  const runOnce = async () => {
    if (Date.now() - ran.current < doubleClick) return
    ran.current = Infinity
    await runAnyway(page, view, line)
    ran.current = Date.now()
  }
  return (
    <div class="entry">
      <Asked text={line} who="you" />
      {problem === undefined ? (
        <AnswerTree path={`console ${key}`} value={value} stop={id === view.session.id ? stop : undefined} />
      ) : (
        <p class="answered problem">
          {problem} {runnable === true ? <Button label="Run it anyway" onClick={() => void runOnce()} /> : null}
        </p>
      )}
      {warnings.map((words) => (
        <p key={words} class="answered warning">
          <Icon name="warn" />
          {words}
        </p>
      ))}
    </div>
  )
}

/** The value that another client read. */
const OthersValue = ({ entry: { actor, text: line, value, who } }: { readonly entry: OthersEntry }) => (
  <div class="entry">
    <Asked actor={actor} text={line} who={who} />
    <p class={`answered${cutClass(value.value)}`} title={value.value}>
      <span class={toneOf(value)}>{valueWords(value)}</span> <TypeName type={value.type} />
    </p>
  </div>
)

/** The console of the session. */
export const ConsolePanel = () => {
  const page = usePage()
  const view = useView()
  const box = useRef<HTMLDivElement>(null)
  const own = page.credentials.actor.id
  const events = view.session.events.value
  const others = useMemo(() => entriesOfOthers(events, own), [events, own])
  const mine = entries.value.filter(({ session }) => session === view.session.firstId)
  const all = useMemo(() => inOrder(mine, others, kept), [mine.at(-1)?.key, others])
  const atEnd = useRef(true)
  const newest = all.at(-1)
  useEffect(() => {
    const element = box.current
    // What another client read moves no one who reads older entries.
    if (element !== null && (atEnd.current || (newest !== undefined && !("who" in newest))))
      element.scrollTop = element.scrollHeight
  }, [newest?.key])
  const raw = text.value.startsWith("!")
  const onKeyDown = (event: KeyboardEvent) => {
    keepKey(event)
    if (event.key === "Enter" && text.value.trim() !== "") {
      void send(page, view, text.value.trim())
      text.value = ""
      proposal.value = ""
    }
    if (event.key === "Tab" && proposal.value !== "" && !event.shiftKey) {
      event.preventDefault()
      text.value += proposal.value
      proposal.value = ""
    }
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0
    if (by !== 0) {
      event.preventDefault()
      place.value = Math.min(past.value.length, Math.max(0, place.value + by))
      text.value = past.value[place.value] ?? ""
      proposal.value = ""
    }
  }
  return (
    <div class="console">
      <div
        class="scroll entries"
        ref={box}
        tabIndex={0}
        role="log"
        aria-label="Console"
        onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) =>
          (atEnd.current = scrollTop + clientHeight > scrollHeight - 24)
        }
      >
        {all.length === 0 ? (
          <p class="empty">
            {unreadableWords(view.session.snapshot.value) ?? "Write an expression to read it in the shown frame."}
          </p>
        ) : null}
        {all.map((entry) =>
          "who" in entry ? <OthersValue entry={entry} key={entry.key} /> : <OwnEntry entry={entry} key={entry.key} />
        )}
      </div>
      <div class={`prompt${raw ? " raw" : ""}`}>
        <span aria-hidden="true">›</span>
        <span class="field">
          <input
            id="console"
            type="text"
            aria-label={raw ? "Command of the debugger" : "Expression to read"}
            autocomplete="off"
            spellcheck={false}
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value
              proposal.value = ""
              void complete(page, view)
            }}
            onKeyDown={onKeyDown}
          />
          <span class="ghost" aria-hidden="true">
            <span class="typed">{text.value}</span>
            {proposal.value}
          </span>
        </span>
        <span class="note">{raw ? "Runs in the debugger · needs admin" : "Tab completes · reads only"}</span>
      </div>
    </div>
  )
}
