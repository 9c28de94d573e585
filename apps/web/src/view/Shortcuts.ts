/**
 * The keys of the page. Function keys and Ctrl combinations act everywhere; single letters only while the focus is in source, stack,
 * values or Activity.
 */
import { actions, mainActionOf, run, toggleBreakpoint, toggleControl } from "../session/actions/Actions.ts"
import { isStepping } from "../session/actions/ActionQueue.ts"
import type { Page } from "../session/Page.ts"
import type { SessionView } from "../session/SessionView.ts"
import { copy } from "../session/actions/Clipboard.ts"
import { editedLine } from "../session/breakpoints/EditedLine.ts"
import { reveal } from "./layout/Panes.ts"
import { cursorLine, findText } from "./source/SourceLines.tsx"
import { moveStop } from "./rows/StopsRow.tsx"
import { variableFilter } from "./values/ValuesPanel.tsx"

/** The panels that letters act in. */
const letters = "#source, #stack, #variables, #watch, #activity, #breakpoints"

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable)

/** Says why a key that needs the source does nothing. */
const withoutSource = (page: Page, view: SessionView) => (): void =>
  page.say({
    text: view.noSource.value?.message ?? "The source has not arrived yet. Press the key again.",
    tone: "plain"
  })

/** The field that the last key was written in, and when it was, in milliseconds. */
let written: { readonly field: Element; readonly at: number } | undefined

/** The longest pause of someone who writes, in milliseconds. */
const longestPause = 5000

/** Matches keys that end what is written: they close a field, lead out of it, or act everywhere. */
const ending = /^(?:Enter|Escape|Tab|Arrow(?:Up|Down)|Page(?:Up|Down)|F\d+)$/

/** Notes the keys that are written in fields, until one ends what is written. */
export const noteWritten = ({ altKey, ctrlKey, key, metaKey, target, timeStamp }: KeyboardEvent): void => {
  if (ending.test(key) || ((altKey || ctrlKey || metaKey) && key.length === 1)) written = undefined
  else if (isTyping(target) && target instanceof Element) written = { field: target, at: timeStamp }
}

/** Notes that the user has clicked, which ends what is written. */
export const endWritten = (): void => {
  written = undefined
}

/** True for a letter of a text whose field has gone while it was written, such as at a stop. It acts as no command. */
const isLeftOver = ({ timeStamp }: KeyboardEvent): boolean => {
  if (written === undefined || written.field.isConnected || timeStamp - written.at > longestPause) return false
  written = { ...written, at: timeStamp }
  return true
}

/** Matches the keys that act again while they are held down: steps, and moves in the stack and over the stops. Others act once. */
const repeating = /^(?:F1[01]|['";:nsfud[\]])$/

/** Returns what a key with a modifier or a function key does. */
const everywhere = (page: Page, view: SessionView, event: KeyboardEvent): (() => void) | undefined => {
  const source = view.source.value
  const control = event.ctrlKey || event.metaKey
  const place = source === undefined ? undefined : `${source.file}:${cursorLine.value}`
  const key = `${control ? "C-" : ""}${event.altKey ? "A-" : ""}${event.shiftKey ? "S-" : ""}${event.key}`
  switch (key) {
    case "F8":
    case "C-\\":
      return () => void run(page, view, mainActionOf(view))
    case "F10":
    case "C-'":
      return () => void run(page, view, actions.next)
    case "F11":
    case "C-;":
      return () => void run(page, view, actions.step)
    case "S-F11":
    case "C-S-:":
    case "C-S-;":
      return () => void run(page, view, actions.finish)
    case "C-F10":
      return place === undefined ? withoutSource(page, view) : () => void run(page, view, actions.until, place)
    case "F9":
      return source === undefined
        ? withoutSource(page, view)
        : () => void toggleBreakpoint(page, view, source.file, cursorLine.value)
    case "C-k":
      return () => (page.overlay.value = "palette")
    case "A-1":
      return () => reveal("Console", "#console")
    case "A-2":
      return () => reveal("Source", "#source .lines, #source .instructions")
    case "A-3":
      return () => reveal("Values", "#variables [role=tree]")
    case "A-4":
      return () => reveal("Activity", "#activity .rows")
    case "A-5":
      return () => reveal("Stack", "#stack .frame.chosen", "#stack .row")
    default:
      return undefined
  }
}

/** Returns what a letter does. */
const letter = (page: Page, view: SessionView, key: string): (() => void) | undefined => {
  const source = view.source.value
  switch (key) {
    case "c":
      return () => void run(page, view, actions.continue)
    case "p":
      return () => void run(page, view, actions.pause)
    case "n":
      return () => void run(page, view, actions.next)
    case "s":
      return () => void run(page, view, actions.step)
    case "f":
      return () => void run(page, view, actions.finish)
    case "b":
      return source === undefined
        ? withoutSource(page, view)
        : () => void toggleBreakpoint(page, view, source.file, cursorLine.value)
    case "B":
      return source === undefined
        ? withoutSource(page, view)
        : () => (editedLine.value = { file: source.file, line: cursorLine.value })
    case "u":
      return () => view.move(1)
    case "d":
      return () => view.move(-1)
    case "t":
      return () => void toggleControl(page, view)
    case "[":
      return () => moveStop(view, "back")
    case "]":
      return () => moveStop(view, "on")
    case "w":
      return () => reveal("Watch", "#watch .tools button")
    case "y":
      return () => copy(page, page.command.value, "The command")
    case "/":
      if (document.activeElement?.closest("#variables") !== null) return () => (variableFilter.value = "")
      return source === undefined ? withoutSource(page, view) : () => (findText.value = "")
    case "?":
      return () => (page.overlay.value = "keys")
    case "Escape":
      return view.past.value ? () => moveStop(view, "now") : undefined
    default:
      return undefined
  }
}

/** Acts on a key. */
export const onKey = (page: Page, event: KeyboardEvent): void => {
  const view = page.view.value
  if (page.overlay.value === "palette" || page.overlay.value === "start") return
  const typing = isTyping(event.target)
  if (view === undefined) {
    const searches = (event.ctrlKey || event.metaKey) && event.key === "k"
    if (!searches && (event.key !== "?" || typing)) return
    event.preventDefault()
    page.overlay.value = searches ? "palette" : "keys"
    return
  }
  const inPanel = event.target instanceof Element && event.target.closest(letters) !== null
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey
  const act =
    everywhere(page, view, event) ??
    (plain && !typing && !isLeftOver(event) && (inPanel || event.key === "Escape" || event.key === "?")
      ? letter(page, view, event.key)
      : undefined)
  if (act === undefined) return
  event.preventDefault()
  if (event.repeat && (isStepping(view) || !repeating.test(event.key))) return
  act()
}
