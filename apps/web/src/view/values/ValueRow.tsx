/**
 * A value in the tree: its name and type, its text, its past, who read it, and what can be done with it.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Value } from "../../connection/Answers.ts"
import { oldBeside, withShortObjects } from "../../session/words/ShortValues.ts"
import { shortType } from "../../session/words/ShortTypes.ts"
import { wasBeforeSet } from "../../session/actions/ValuesBeforeSet.ts"
import { cutClass, expressionAt, isMasked, rowWords, toneOf } from "../../session/words/ValueWords.ts"
import { addWatch, shownHistory } from "../../session/values/Watches.ts"
import { Icon } from "../parts/Icons.tsx"
import { opened, setOpen } from "./OpenedValues.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { selectedValue } from "./SelectedValue.ts"
import { focusInside, focusParent } from "../parts/TreeKeys.ts"
import { Children, type RowProps } from "./ValueChildren.tsx"
import { useValueFrame } from "./ValueFrame.ts"
import { PastLine } from "./ValueHistory.tsx"
import { SetValue, ValueTools } from "./ValueTools.tsx"
import { quoteForPaste } from "@sigtrap/protocol/ShellWords"

/** What the eye beside a value means. */
const readWords = "agent read this at this stop"

/** The eye beside a value that an agent read, in reserved space. */
const ReadMark = ({ isRead }: { readonly isRead: boolean }) =>
  isRead ? (
    <span class="readMark" role="img" aria-label={readWords} title={readWords}>
      <Icon name="eye" />
    </span>
  ) : (
    <span class="readMark" />
  )

/** A value that was hidden, and where it was read. */
interface Revealed {
  readonly stop: number
  readonly frame: number
  readonly value: Value
}

/**
 * Reads a value that is hidden because of its name, on request. It is hidden again at the next stop, and read again when a client may
 * have written to the program at this one.
 */
const useRevealed = (value: Value, expression: string | undefined) => {
  const page = usePage()
  const view = useView()
  const place = useValueFrame()
  const [shown, setShown] = useState<Revealed | undefined>(undefined)
  const [stop, frame, report] = [view.reportStop.value, view.frame.value, view.report.value]
  const session = view.session.name
  const inputOf = (name: string) => ({ session, expressions: [name], reveal: true, ...place.input }) as const
  const show = (reading: { readonly value?: string } | undefined) =>
    setShown(
      reading?.value === undefined
        ? undefined
        : { stop, frame, value: { ...reading, name: value.name, value: reading.value } }
    )
  useEffect(() => {
    if (shown === undefined || expression === undefined) return undefined
    if (shown.stop !== stop || shown.frame !== frame) return setShown(undefined)
    const abort = new AbortController()
    void page.calls.call("print", inputOf(expression), abort.signal).then((outcome) => {
      if (!abort.signal.aborted) show(outcome.ok ? outcome.answer.data.values[0] : undefined)
    })
    return () => abort.abort()
  }, [report, frame])
  const reveal = async () => {
    if (expression === undefined) return
    const command = `sigtrap print ${quoteForPaste(expression)} --reveal${place.words} --session ${session}`
    const outcome = await page.act("print", inputOf(expression), command)
    if (!outcome.ok) return
    const [reading] = outcome.answer.data.values
    show(reading)
    if (reading?.value === undefined)
      page.say({ text: reading?.error?.message ?? "It cannot be read.", tone: "refused" })
  }
  return { value: shown?.stop === stop && shown.frame === frame ? shown.value : undefined, reveal }
}

/** A value and, if it is open, what is inside. */
export const ValueRow = ({ depth, path, position, total, value: read }: RowProps) => {
  const page = usePage()
  const view = useView()
  const frame = useValueFrame()
  const [setting, setSetting] = useState(false)
  const [menu, setMenu] = useState(false)
  // The buttons exist only in the row that has the pointer or the focus.
  const [hot, setHot] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  const expression = expressionAt(read, depth)
  const revealed = useRevealed(read, expression)
  const value = revealed.value ?? read
  const wasSet = wasBeforeSet(view, frame, expression, value.value)
  const before = wasSet ?? (value.changed === true ? value.old : undefined)
  const old = before === undefined ? undefined : oldBeside(value.value, before, value.type)
  const isChanged = value.changed === true || wasSet !== undefined
  const canReveal = expression !== undefined && isMasked(read) && view.live.value
  const canOpen = value.ref !== undefined || (value.children?.length ?? 0) > 0
  // What is inside was read at the current stop. A past stop says that it was not, or shows what was.
  const open = (canOpen || (view.past.value && !/^0x0*$/.test(value.value))) && opened.value.has(path)
  const agentRead = expression !== undefined && frame.read.has(expression)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || event.key === "m") {
      event.preventDefault()
      event.stopPropagation()
      setMenu(true)
    }
    if (event.key === "w") {
      event.preventDefault()
      event.stopPropagation()
      if (expression !== undefined) addWatch(view.session.snapshot.value.program, expression)
    }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      // Otherwise it scrolls too.
      event.preventDefault()
      const isRight = event.key === "ArrowRight"
      if (open !== isRight && (canOpen || open)) setOpen(path, isRight)
      else if (row.current !== null) (isRight ? focusInside : focusParent)(row.current)
    }
    if (event.key === "Enter" && canOpen) setOpen(path, !open)
  }
  return (
    <>
      <li
        class="row value"
        role="treeitem"
        data-path={path}
        ref={row}
        aria-level={depth + 1}
        aria-posinset={position}
        aria-setsize={total}
        aria-expanded={canOpen ? open : undefined}
        aria-selected={selectedValue.value?.path === path}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onPointerEnter={() => setHot(true)}
        onPointerLeave={() => setHot(row.current?.contains(document.activeElement) === true)}
        onFocusOut={({ relatedTarget }) =>
          setHot(relatedTarget instanceof Node && row.current?.contains(relatedTarget) === true)
        }
        onContextMenu={(event) => {
          // A selection has the menu of the browser.
          if (String(getSelection()) !== "") return
          event.preventDefault()
          setMenu(true)
        }}
        onFocusIn={() => setHot(true)}
        onFocus={() => {
          if (expression !== undefined)
            page.command.value = `sigtrap print ${quoteForPaste(expression)}${frame.words} --session ${view.session.name}`
          if (!isMasked(read)) {
            const of = frame.isShown ? {} : frame.input
            const named = expression === undefined ? {} : { value }
            selectedValue.value = { session: view.session.name, path, ...named, ...of }
          }
        }}
      >
        <span class="nameCell" style={{ paddingLeft: `${depth * 16}px` }}>
          {canOpen ? (
            <button type="button" class="opener" tabIndex={-1} aria-hidden="true" onClick={() => setOpen(path, !open)}>
              <Icon name={open ? "down" : "right"} />
            </button>
          ) : (
            <span class="opener" />
          )}
          <span class="name" title={value.name}>
            {value.name}
          </span>
          <span class="type" title={value.type}>
            {value.type === undefined || value.type === value.value ? null : shortType(value.type)}
          </span>
        </span>
        {setting ? (
          <SetValue
            value={value}
            expression={expression}
            onClose={() => {
              setSetting(false)
              row.current?.focus()
            }}
          />
        ) : (
          <span
            class={`valueCell ${toneOf(value)}${isChanged ? " changed" : ""}`}
            title={old === undefined ? value.value : `${value.value} was ${old}`}
          >
            <span class={`valueText${cutClass(value.value)}`}>{rowWords(value)}</span>
            {/* It is drawn anew behind each value, whose length changes. */}
            {old === undefined ? null : (
              <span class={`was${cutClass(old)}`} key={value.value}>
                was {withShortObjects(old)}
              </span>
            )}
          </span>
        )}
        <span class="marks">
          <ReadMark isRead={agentRead} />
          {canReveal && revealed.value === undefined ? (
            <button type="button" class="link reveal" tabIndex={-1} onClick={() => void revealed.reveal()}>
              Show
            </button>
          ) : null}
          {frame.isShown && expression !== undefined ? (
            <PastLine path={expression} onOpen={() => (shownHistory.value = expression)} />
          ) : (
            <span class="pastLine" />
          )}
          {(hot || menu) && !setting ? (
            <ValueTools
              value={value}
              expression={expression}
              open={menu}
              onOpen={setMenu}
              onSet={() => setSetting(true)}
              onReveal={canReveal ? () => void revealed.reveal() : undefined}
              onLeave={() => row.current?.focus()}
            />
          ) : null}
        </span>
      </li>
      {open ? <Children Row={ValueRow} value={value} path={path} depth={depth} /> : null}
    </>
  )
}
