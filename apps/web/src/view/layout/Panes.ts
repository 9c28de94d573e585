/**
 * Which panels are shown where there is not room for all: the tab of the lower pane, and the panel of a phone.
 */
import { signal } from "@preact/signals"

/** The tabs of the lower pane. */
export type LowerTab = "Activity" | "Console" | "Output" | "Watch" | "Breakpoints" | "Registers" | "Memory" | "Modules"

/** The tab of the lower pane that was chosen; the first one until then. */
export const lowerTab = signal<LowerTab | undefined>(undefined)

/** The tab of the second pane of a wide window. */
export const memoryTab = signal<"Memory" | "Modules">("Memory")

/** What the middle of the screen shows. */
export const sourceTab = signal<"source" | "Disassembly">("source")

/** True if a low window shows the lower pane, not its tabs only. */
export const lowerOpen = signal(false)

/** The panels of a phone: one at a time. */
export const phoneTabs = ["Source", "Stack", "Values", "Activity", "Console"] as const

/** The panel that a phone shows. */
export const phoneTab = signal<(typeof phoneTabs)[number]>("Source")

/** A panel that a key leads to. */
type Target = (typeof phoneTabs)[number] | "Watch"

/** Puts the focus to the first element that is there; returns false if none is. */
const focusFirst = (selectors: ReadonlyArray<string>): boolean => {
  const [first] = selectors.flatMap((selector) => document.querySelector<HTMLElement>(selector) ?? [])
  first?.focus()
  return first !== undefined
}

/** Puts the focus to a panel whose content has not arrived, so that letters act already, and to the content once it is there. */
const focusPanel = (panel: HTMLElement, selectors: ReadonlyArray<string>): void => {
  panel.focus()
  const observer = new MutationObserver(() => {
    if (document.activeElement !== panel || focusFirst(selectors)) observer.disconnect()
  })
  observer.observe(panel, { childList: true, subtree: true })
}

/**
 * Shows a panel and puts the focus to the first element that is there, before the next key is handled. The first selector begins with
 * the id of the panel.
 */
export const reveal = (target: Target, ...selectors: ReadonlyArray<string>): void => {
  phoneTab.value = target === "Watch" ? "Values" : target
  const narrow = matchMedia("(max-width: 1023px)").matches
  if (target === "Console" || (narrow && (target === "Activity" || target === "Watch"))) lowerTab.value = target
  if (target === "Console" || target === "Activity" || (narrow && target === "Watch")) lowerOpen.value = true
  focusDrawn(selectors)
}

/** Puts the focus to the first element that is there, or to its panel, once they are drawn. */
const focusDrawn = (selectors: ReadonlyArray<string>): void => {
  // The panel is drawn in a microtask. A timer would come after keys that are waiting already, which would then be lost.
  queueMicrotask(() => {
    if (focusFirst(selectors)) return
    const panel = document.querySelector<HTMLElement>(selectors[0]?.split(" ")[0] ?? "")
    if (panel !== null) focusPanel(panel, selectors)
  })
}

/** Shows a tab of the lower panes, and puts the focus to it. A wide window has no tab for Registers. */
export const revealTab = (name: Exclude<LowerTab, "Activity" | "Watch" | "Breakpoints">): void => {
  phoneTab.value = "Console"
  lowerTab.value = name
  lowerOpen.value = true
  if (name === "Memory" || name === "Modules") memoryTab.value = name
  const pane = name === "Memory" || name === "Modules" ? "#memory" : "#lower"
  const region = name === "Registers" ? ["#registers [role=region]"] : []
  focusDrawn([...region, `${pane} [role=tab][aria-selected=true]`, "#lower [role=tab][aria-selected=true]"])
}
