/**
 * The lower panes: Activity at the left, the others as tabs at the right. A narrow window has one pane with tabs for all.
 */
import { useEffect } from "preact/hooks"
import { shownHistory } from "../../session/values/Watches.ts"
import { ActivityPanel } from "./ActivityPanel.tsx"
import { BreakpointPanel } from "./BreakpointPanel.tsx"
import { ConsolePanel } from "./ConsolePanel.tsx"
import { MemoryPanel } from "./MemoryPanel.tsx"
import { ModulePanel } from "./ModulePanel.tsx"
import { OutputPanel } from "./OutputPanel.tsx"
import { useView } from "../parts/PageContext.ts"
import { hasTab } from "../layout/PanelNeeds.ts"
import { lowerOpen, type LowerTab, lowerTab, memoryTab } from "../layout/Panes.ts"
import { Tabs } from "../parts/Parts.tsx"
import { changedRegisters, RegisterPanel } from "./RegisterPanel.tsx"
import { WatchPanel } from "../values/WatchPanel.tsx"
import { useNarrow, usePhone, useWide } from "../layout/WindowWidths.ts"

/** Chooses a tab. In a low window it opens the panes; the chosen tab opens and folds them. */
const choose = (isChosen: boolean, set: () => void): void => {
  lowerOpen.value = !(isChosen && lowerOpen.value)
  set()
}

const Content = ({ name }: { readonly name: LowerTab }) => {
  switch (name) {
    case "Activity":
      return <ActivityPanel />
    case "Console":
      return <ConsolePanel />
    case "Output":
      return <OutputPanel />
    case "Watch":
      return <WatchPanel />
    case "Breakpoints":
      return <BreakpointPanel />
    case "Registers":
      return <RegisterPanel />
    case "Memory":
      return <MemoryPanel />
    case "Modules":
      return <ModulePanel />
  }
}

/** Returns a number of lines in the room beside the name of a tab: `999 lines`, `9.9k lines`, `163k lines`. */
const linesWords = (lines: number): string => {
  const thousands = lines < 10_000 ? (Math.floor(lines / 100) / 10).toFixed(1) : String(Math.floor(lines / 1000))
  return `${lines < 1000 ? lines : `${thousands}k`} line${lines === 1 ? "" : "s"}`
}

/** Returns what is beside the name of a tab. */
const useNotes = (): { readonly [name in LowerTab]?: string | undefined } => {
  const view = useView()
  const { lines } = view.session.output.value
  const breakpoints = view.breakpoints.value.length
  return {
    Output: linesWords(lines),
    Breakpoints: String(breakpoints)
  }
}

/** Some panels as tabs. */
const Tabbed = ({ names, fallback }: { readonly names: ReadonlyArray<LowerTab>; readonly fallback: LowerTab }) => {
  const view = useView()
  const notes = useNotes()
  const offered = names.filter((name) => hasTab(view, name))
  const chosen = offered.find((name) => name === lowerTab.value) ?? fallback
  return (
    <section class={`panel tab${chosen}`} id="lower" aria-label={names.join(", ")}>
      <header class="panelHead">
        <Tabs
          label="Lower pane"
          chosen={chosen}
          tabs={offered.map((name) => ({ name, note: notes[name] }))}
          onChoose={(name) => choose(name === chosen, () => (lowerTab.value = name))}
        />
      </header>
      <Content name={chosen} />
    </section>
  )
}

/** Console, output, registers and memory: tabs of one pane, and in a wide window three panes. */
export const LowerPanes = () => {
  const [narrow, phone, wide] = [useNarrow(), usePhone(), useWide()]
  const view = useView()
  const history = shownHistory.value
  useEffect(() => {
    if (!narrow || history === undefined) return
    lowerTab.value = "Watch"
    lowerOpen.value = true
  }, [narrow, history])
  if (phone) return <Tabbed names={["Console", "Output", "Registers", "Memory", "Modules"]} fallback="Console" />
  if (narrow) {
    return (
      <Tabbed
        names={["Activity", "Console", "Output", "Watch", "Breakpoints", "Registers", "Memory", "Modules"]}
        fallback="Activity"
      />
    )
  }
  if (!wide) return <Tabbed names={["Console", "Output", "Registers", "Memory", "Modules"]} fallback="Console" />
  const offered = (["Memory", "Modules"] as const).filter((name) => hasTab(view, name))
  const chosen = offered.find((name) => name === memoryTab.value) ?? offered[0] ?? "Memory"
  return (
    <>
      <Tabbed names={["Console", "Output"]} fallback="Console" />
      <div class="panel" id="memory">
        <header class="panelHead">
          <Tabs
            label="Memory and modules"
            chosen={chosen}
            tabs={(offered.length === 0 ? [chosen] : offered).map((name) => ({ name }))}
            onChoose={(name) => choose(name === chosen, () => (memoryTab.value = name))}
          />
        </header>
        <Content name={chosen} />
      </div>
      <div class="panel" id="registers">
        <header class="panelHead">
          <h2>Registers</h2>
          <span class="note placeNote" key={changedRegisters.value}>
            {changedRegisters.value === 0 ? "" : `${changedRegisters.value} changed`}
          </span>
        </header>
        <RegisterPanel />
      </div>
    </>
  )
}
