/**
 * Which panels are shown where there is not room for all: the tab of the lower pane, and the panel of a phone.
 */
import { signal } from "@preact/signals"

/** The tabs of the lower pane. */
export type LowerTab = "Activity" | "Console" | "Output" | "Watch" | "Breakpoints" | "Registers" | "Memory" | "Modules"

/** The tab of the lower pane that was chosen; the first one until then. */
export const lowerTab = signal<LowerTab | undefined>(undefined)

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
  // The panel is drawn in a microtask. A timer would come after keys that are waiting already, which would then be lost.
  queueMicrotask(() => {
    if (focusFirst(selectors)) return
    const panel = document.querySelector<HTMLElement>(selectors[0]?.split(" ")[0] ?? "")
    if (panel !== null) focusPanel(panel, selectors)
  })
}
