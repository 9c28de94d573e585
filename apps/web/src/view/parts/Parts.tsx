/**
 * Small parts that several panels use.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Actor } from "../../connection/Answers.ts"
import { nameOf, whoIs, type Who } from "../../session/words/ActorWords.ts"
import { Icon, type IconName } from "./Icons.tsx"
import { usePage } from "./PageContext.ts"

/** The shape of an actor. */
export const Shape = ({ who }: { readonly who: Who }) => <span class={`shape ${who}`} aria-hidden="true" />

/** An actor by shape and word. */
export const ActorName = ({ actor }: { readonly actor: Actor | undefined }) => {
  const own = usePage().credentials.actor.id
  const who = whoIs(actor, own)
  return (
    <span class={`actor ${who}`} title={actor?.id}>
      {nameOf(actor, own)}
    </span>
  )
}

interface ButtonProps {
  readonly icon?: IconName
  readonly label: string
  readonly keys?: string
  readonly kind?: "main" | "plain" | "quiet" | "bare"
  /** Why the button does nothing; it stays in the order of the keyboard. */
  readonly obstacle?: string | undefined
  /** True if the label is the name only and is not shown. */
  readonly iconOnly?: boolean
  readonly pressed?: boolean
  /** What the button does, if its label does not say all of it. */
  readonly hint?: string
  /** -1 if another element has the keys of the button. */
  readonly tabIndex?: number
  readonly className?: string
  readonly onClick: () => void
}

/** Takes the focus when a field appears, and never again. */
export const focusAtFirst = (element: HTMLElement | null): void => element?.focus()

/** Takes the focus when a field appears, with its text selected, so that typing replaces it. */
export const selectAtFirst = (element: HTMLInputElement | null): void => element?.select()

/** Keeps Enter in a field from pressing the button that gets the focus when the field goes. */
export const keepEnter = (event: KeyboardEvent): void => {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault()
}

/** Keeps a key of a field from the panel around it. Function keys and letters with Ctrl, Alt or Cmd act everywhere. */
export const keepKey = (event: KeyboardEvent): void => {
  keepEnter(event)
  const isCombination = (event.ctrlKey || event.metaKey || event.altKey) && event.key.length === 1
  if (!isCombination && !/^F\d+$/.test(event.key)) event.stopPropagation()
}

/**
 * A button with a word, or with a name. The second click of a double click does nothing if the button means something else by then, or has
 * taken the place of the clicked one: it would undo what the first one did.
 */
export const Button = ({
  className = "",
  hint,
  icon,
  iconOnly = false,
  keys,
  kind = "plain",
  label,
  obstacle,
  onClick,
  pressed,
  tabIndex
}: ButtonProps) => {
  /** The label at the first click of a double click. */
  const first = useRef<string | undefined>(undefined)
  return (
    <button
      type="button"
      class={`button ${kind} ${className}`.trim()}
      aria-disabled={obstacle === undefined ? undefined : "true"}
      aria-label={iconOnly ? label : undefined}
      aria-pressed={pressed}
      tabIndex={tabIndex}
      title={obstacle ?? hint ?? (iconOnly || keys ? `${label}${keys ? ` (${keys})` : ""}` : undefined)}
      onClick={({ detail }) => {
        if (detail === 2 && first.current !== label) return
        first.current = label
        onClick()
      }}
    >
      {icon === undefined ? null : <Icon name={icon} key={icon} />}
      {iconOnly ? null : (
        <span class="label" key={label}>
          {label}
        </span>
      )}
      {keys === undefined || keys === "" || iconOnly ? null : <kbd key={label}>{keys}</kbd>}
    </button>
  )
}

interface PanelProps {
  readonly id: string
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly tools?: ComponentChildren
  readonly label: string
  readonly children: ComponentChildren
}

/** A panel with its title row. */
export const Panel = ({ children, id, label, note, title, tools }: PanelProps) => (
  <section class="panel" id={id} aria-label={label} tabIndex={-1}>
    <header class="panelHead">
      <h2>{title}</h2>
      <span class="note" title={typeof note === "string" ? note : undefined}>
        {note}
      </span>
      <span class="tools">{tools}</span>
    </header>
    {children}
  </section>
)

interface Tab<Name extends string> {
  readonly name: Name
  readonly note?: string | undefined
}

/** Tabs: arrow keys move between them. */
export const Tabs = <Name extends string>({
  chosen,
  label,
  onChoose,
  tabs
}: {
  readonly tabs: ReadonlyArray<Tab<Name>>
  readonly chosen: Name
  readonly label: string
  readonly onChoose: (name: Name) => void
}) => {
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (by === 0) return
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = tabs[(at + by + tabs.length) % tabs.length]
    if (next === undefined) return
    onChoose(next.name)
    const { currentTarget } = event
    if (currentTarget instanceof HTMLElement) {
      const buttons = currentTarget.querySelectorAll<HTMLElement>("[role=tab]")
      buttons[(at + by + tabs.length) % tabs.length]?.focus()
    }
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ name, note }) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
          {note === undefined ? null : <span class={`tabNote of${name}`}>{note}</span>}
        </button>
      ))}
    </div>
  )
}

/** Moves the focus from row to row of a list; from the list itself, to its first or its last visible row. */
const moveInRows = (event: KeyboardEvent, box: HTMLElement): void => {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
  if (by === 0) return
  const rows = [...box.querySelectorAll<HTMLElement>("button")]
  const at = rows.findIndex((row) => row === document.activeElement)
  const { bottom, top } = box.getBoundingClientRect()
  const isVisible = (row: HTMLElement) => {
    const place = row.getBoundingClientRect()
    return place.top >= top - 1 && place.bottom <= bottom + 1
  }
  const next = at !== -1 ? rows[at + by] : by === 1 ? rows.find(isVisible) : rows.findLast(isVisible)
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** Returns where rows begin, in heights of a line, and where the last one ends. */
const placesOf = (count: number, linesOf: ((index: number) => number) | undefined) => {
  if (linesOf === undefined)
    return { topOf: (index: number) => Math.min(index, count), at: (line: number) => Math.floor(line) }
  const tops = new Float64Array(count + 1)
  for (let index = 0; index < count; index++) tops[index + 1] = (tops[index] ?? 0) + linesOf(index)
  const topOf = (index: number) => tops[Math.min(index, count)] ?? 0
  /** Returns the last row that begins at or above a line. */
  const at = (line: number) => {
    let [low, high] = [0, count]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (topOf(middle) <= line) low = middle
      else high = middle - 1
    }
    return low
  }
  return { topOf, at }
}

/**
 * Rows of which only the visible ones exist. They have one height unless `linesOf` says how many heights a row has in a list of some
 * width in pixels. With `atEnd` the list stays at its end unless it was scrolled up.
 */
export const VirtualRows = ({
  atEnd = false,
  count,
  height,
  label,
  linesOf,
  onScrolledUp,
  render,
  role = "list",
  roving = false,
  toEnd = 0
}: {
  readonly count: number
  readonly height: number
  readonly label: string
  readonly linesOf?: (index: number, width: number) => number
  readonly role?: "list" | "log"
  readonly atEnd?: boolean
  readonly onScrolledUp?: (up: boolean) => void
  /** True if each row is a button that arrow keys lead to. */
  readonly roving?: boolean
  /** The list goes to its end whenever this number changes. */
  readonly toEnd?: number
  readonly render: (index: number) => ComponentChildren
}) => {
  const box = useRef<HTMLDivElement>(null)
  const end = useRef(true)
  const [range, setRange] = useState({ first: 0, last: 60 })
  const [width, setWidth] = useState(0)
  const places = placesOf(count, linesOf === undefined || width === 0 ? undefined : (index) => linesOf(index, width))
  const now = useRef(places)
  now.current = places
  const measure = () => {
    const element = box.current
    if (element === null) return
    const { at } = now.current
    const first = Math.max(0, at(element.scrollTop / height) - 8)
    const last = at(Math.ceil((element.scrollTop + element.clientHeight) / height)) + 8
    if (linesOf !== undefined) setWidth(element.clientWidth)
    end.current = element.scrollTop + element.clientHeight >= element.scrollHeight - height
    onScrolledUp?.(!end.current)
    setRange((known) => (known.first === first && known.last === last ? known : { first, last }))
  }
  /** Goes to the end again, unless the list was scrolled up or a row has the focus. */
  const stayAtEnd = () => {
    const element = box.current
    if (element === null) return
    const hasFocus = element !== document.activeElement && element.contains(document.activeElement)
    if (atEnd && end.current && !hasFocus) element.scrollTop = element.scrollHeight
    measure()
  }
  const total = places.topOf(count)
  useLayoutEffect(stayAtEnd, [count, height, total])
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null && toEnd > 0) element.scrollTop = element.scrollHeight
  }, [toEnd])
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(stayAtEnd)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const shown = Array.from(
    { length: Math.max(0, Math.min(count, range.last) - range.first) },
    (_, at) => range.first + at
  )
  return (
    <div
      class="rows"
      ref={box}
      onScroll={measure}
      onKeyDown={roving ? (event) => moveInRows(event, event.currentTarget) : undefined}
      role={role}
      aria-label={label}
      tabIndex={0}
    >
      <div class="rowsSpace" style={{ height: `${total * height}px` }}>
        <div class="rowsShown" style={{ transform: `translateY(${places.topOf(range.first) * height}px)` }}>
          {shown.map(render)}
        </div>
      </div>
    </div>
  )
}
