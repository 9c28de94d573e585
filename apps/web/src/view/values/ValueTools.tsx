/**
 * What can be done with a value: copy, watch, stop when it changes, set.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Value } from "../../connection/Answers.ts"
import { pastObstacle } from "../../session/actions/Actions.ts"
import { needsTiers } from "../../session/words/FailureWords.ts"
import { addWatch, shownHistory } from "../../session/values/Watches.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { copy } from "../../session/actions/Clipboard.ts"
import { noteSet } from "../../session/actions/ValuesBeforeSet.ts"
import { Icon, type IconName } from "../parts/Icons.tsx"
import { Button, keepKey, selectAtFirst } from "../parts/Parts.tsx"
import { useValueFrame, type ValueFrame } from "./ValueFrame.ts"
import { hasPast } from "./ValueHistory.tsx"
import { join, quoteForPaste } from "@sigtrap/protocol/ShellWords"

/** A field for a new value. Enter sets it, Esc leaves it. */
export const SetValue = ({
  expression: target,
  onClose,
  value
}: {
  readonly value: Value
  /** What the value is called in a command. Undefined if nothing names it, so that it cannot be set. */
  readonly expression: string | undefined
  readonly onClose: () => void
}) => {
  const page = usePage()
  const view = useView()
  const frame = useValueFrame()
  const [text, setText] = useState(value.value)
  /** The stop at which the value was seen, and whether it is being set. */
  const seen = useRef({ stop: view.session.snapshot.value.stop, isSaving: false })
  const save = async () => {
    if (target === undefined || seen.current.isSaving) return
    const session = view.session.name
    const { stop } = view.session.snapshot.value
    if (stop !== seen.current.stop) {
      seen.current.stop = stop
      // Until the stop is read, the value is that of the stop before.
      const now = view.reportStop.value === stop ? `: ${target} is ${value.value} at stop ${stop}` : `, at stop ${stop}`
      return page.say({
        text: `The program has stopped again${now}. Press Enter to set ${target} there.`,
        tone: "plain"
      })
    }
    seen.current.isSaving = true
    const outcome = await page.act(
      "set",
      { session, target, value: text, ...frame.input },
      `sigtrap set ${join([target, text])}${frame.words} --session ${session}`
    )
    seen.current.isSaving = false
    if (outcome.ok) {
      noteSet(view, frame, target, value.value)
      onClose()
      await view.readStop(false)
    }
  }
  return (
    <input
      type="text"
      class="setValue"
      aria-label={`New value of ${value.name}`}
      value={text}
      ref={selectAtFirst}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        keepKey(event)
        if (event.key === "Enter") void save()
        if (event.key === "Escape") onClose()
      }}
    />
  )
}

/** An item of the menu. `detail` is at its right end. */
interface Item {
  readonly label: string
  readonly icon: IconName
  readonly detail: string
  readonly obstacle?: string | undefined
  /** The command that removes the obstacle. */
  readonly command?: string | undefined
  readonly act: () => void
}

/** The menu of a value: arrow keys move, Enter chooses, Esc leaves. */
const Menu = ({ items, onClose }: { readonly items: ReadonlyArray<Item>; readonly onClose: () => void }) => {
  const page = usePage()
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    // Below the row, or above it where there is no room. The panel would cut a menu inside it.
    const row = element.closest(".row")?.getBoundingClientRect()
    const { height, width } = element.getBoundingClientRect()
    if (row !== undefined) {
      element.style.left = `${Math.max(8, row.right - width - 8)}px`
      element.style.top = `${row.bottom + height > innerHeight - 8 ? Math.max(8, row.top - height) : row.bottom}px`
    }
    const onDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !element.contains(target)) onClose()
    }
    const scroller = element.closest(".scroll")
    document.addEventListener("pointerdown", onDown)
    scroller?.addEventListener("scroll", onClose)
    return () => {
      document.removeEventListener("pointerdown", onDown)
      scroller?.removeEventListener("scroll", onClose)
    }
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    const item = element?.querySelectorAll<HTMLElement>("[role=menuitem]")[at]
    if (element === null || item === undefined) return
    // A low window scrolls the menu. The panel stays where it is: the menu closes when it scrolls.
    item.focus({ preventScroll: true })
    const [top, bottom] = [item.offsetTop - 4, item.offsetTop + item.offsetHeight + 4 - element.clientHeight]
    element.scrollTop = Math.min(Math.max(element.scrollTop, bottom), top)
  }, [at])
  const choose = ({ act, command, obstacle }: Item) => {
    onClose()
    if (obstacle === undefined) act()
    else page.say({ text: obstacle, tone: "refused", ...(command === undefined ? {} : { command }) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (by !== 0) {
      event.preventDefault()
      setAt((at + by + items.length) % items.length)
    }
    if (event.key === "Home" || event.key === "End") {
      event.preventDefault()
      setAt(event.key === "Home" ? 0 : items.length - 1)
    }
    if (event.key === "Escape" || event.key === "Tab") onClose()
  }
  return (
    <div class="valueMenu" role="menu" ref={box} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <button
          type="button"
          class="menuItem"
          role="menuitem"
          key={item.label}
          tabIndex={-1}
          aria-disabled={item.obstacle === undefined ? undefined : "true"}
          title={item.command === undefined ? item.obstacle : `${item.obstacle} ${item.command}`}
          onClick={() => choose(item)}
        >
          <Icon name={item.icon} />
          <span>{item.label}</span>
          <span class="detail">{item.detail}</span>
        </button>
      ))}
    </div>
  )
}

/** Returns what can be done with a value. */
const useItems = (
  value: Value,
  expression: string | undefined,
  frame: ValueFrame,
  {
    onReveal,
    onSet,
    watch
  }: { readonly onReveal: (() => void) | undefined; readonly onSet: () => void; readonly watch: () => void }
): ReadonlyArray<Item> => {
  const page = usePage()
  const view = useView()
  const session = view.session.name
  const copyValue: Item = {
    label: "Copy value",
    icon: "copy",
    detail: "",
    act: () => copy(page, value.value, "The value")
  }
  if (expression === undefined) return [copyValue]
  const place = `${frame.words} --session ${session}`
  const command = `sigtrap print ${quoteForPaste(expression)}${place}`
  const needsWrite = page.may("write") ? undefined : needsTiers(["write"], page.credentials.tiers)
  return [
    { label: "Watch this", icon: "pin", detail: "w", act: watch },
    ...(onReveal === undefined
      ? []
      : [{ label: "Show the hidden value", icon: "eye", detail: "print --reveal", act: onReveal } as const]),
    copyValue,
    { label: "Copy path", icon: "copy", detail: expression, act: () => copy(page, expression, "The path") },
    { label: "Copy as command", icon: "list", detail: command, act: () => copy(page, command, "The command") },
    ...(frame.isShown && hasPast(view, expression)
      ? [
          {
            label: "Value at every stop",
            icon: "clock",
            detail: "sigtrap history",
            act: () => (shownHistory.value = expression)
          } as const
        ]
      : []),
    {
      label: "Stop when it changes",
      icon: "bolt",
      detail: "sigtrap watch",
      obstacle:
        view.status.obstacle("watchpoints", "cannot stop when a value changes") ??
        pastObstacle(view, "stop when a value changes"),
      act: () =>
        void page.act(
          "watch",
          { session, expression, ...frame.input },
          `sigtrap watch ${quoteForPaste(expression)}${place}`
        )
    },
    {
      label: "Set value…",
      icon: "until",
      detail: page.may("write") ? "sigtrap set" : "needs write",
      obstacle:
        needsWrite?.text ??
        view.status.obstacle("write-variables", "cannot set values") ??
        pastObstacle(view, "set values"),
      command: needsWrite?.command,
      act: onSet
    }
  ]
}

/** The buttons of a value, which the pointer or the focus shows, and its menu. */
export const ValueTools = ({
  expression,
  onLeave,
  onOpen,
  onReveal,
  onSet,
  open,
  value
}: {
  readonly value: Value
  /** What the value is called in a command. Without it the value can only be copied. */
  readonly expression: string | undefined
  readonly open: boolean
  readonly onOpen: (open: boolean) => void
  readonly onSet: () => void
  /** Absent for a value that is not hidden. */
  readonly onReveal: (() => void) | undefined
  /** Puts the focus back to the row. */
  readonly onLeave: () => void
}) => {
  const page = usePage()
  const view = useView()
  const frame = useValueFrame()
  const watch = () => (expression === undefined ? undefined : addWatch(view.session.snapshot.value.program, expression))
  const items = useItems(value, expression, frame, { onReveal, onSet, watch })
  return (
    <span class="valueTools">
      <Button
        label={`Copy the value of ${value.name}`}
        icon="copy"
        iconOnly
        kind="bare"
        tabIndex={-1}
        onClick={() => copy(page, value.value, "The value")}
      />
      {expression === undefined ? null : (
        <Button label={`Watch ${expression}`} icon="pin" iconOnly kind="bare" tabIndex={-1} onClick={watch} />
      )}
      <Button
        label={`More actions for ${value.name}`}
        icon="menu"
        iconOnly
        kind="bare"
        tabIndex={-1}
        pressed={open}
        onClick={() => onOpen(!open)}
      />
      {open ? (
        <Menu
          items={items}
          onClose={() => {
            onOpen(false)
            onLeave()
          }}
        />
      ) : null}
    </span>
  )
}
