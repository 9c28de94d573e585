/**
 * The lower panes: Activity at the left, the others as tabs at the right.
 */
import { signal } from "@preact/signals"
import { ConsolePanel } from "./ConsolePanel.tsx"
import { MemoryPanel, RegisterPanel } from "./MachinePanels.tsx"
import { outputRows } from "../session/OutputRows.ts"
import { OutputPanel } from "./OutputPanel.tsx"
import { useView } from "./PageContext.ts"
import { Tabs } from "./Parts.tsx"
import { useWide } from "./Widths.ts"

/** The tabs of the right pane. */
export type LowerTab = "Console" | "Output" | "Registers" | "Memory"

/** The tab that is shown. */
export const lowerTab = signal<LowerTab>("Console")

/** Console and output, with registers and memory as further tabs. */
const Tabbed = ({ names }: { readonly names: ReadonlyArray<LowerTab> }) => {
  const view = useView()
  const lines = outputRows(view.session.output.value).length
  const note = lines === 0 ? undefined : `${lines.toLocaleString("en")} line${lines === 1 ? "" : "s"}`
  const chosen = names.includes(lowerTab.value) ? lowerTab.value : "Console"
  return (
    <section class="panel" id="lower" aria-label="Console and output">
      <header class="panelHead">
        <Tabs
          label="Console and output"
          chosen={chosen}
          tabs={names.map((name) => (name === "Output" ? { name, note } : { name }))}
          onChoose={(name) => (lowerTab.value = name)}
        />
      </header>
      {chosen === "Console" ? <ConsolePanel /> : null}
      {chosen === "Output" ? <OutputPanel /> : null}
      {chosen === "Registers" ? <RegisterPanel /> : null}
      {chosen === "Memory" ? <MemoryPanel /> : null}
    </section>
  )
}

/** Console, output, registers and memory: tabs of one pane, and in a wide window three panes. */
export const LowerPanes = () => {
  const wide = useWide()
  if (!wide) return <Tabbed names={["Console", "Output", "Registers", "Memory"]} />
  return (
    <>
      <Tabbed names={["Console", "Output"]} />
      <div class="panel" id="memory">
        <header class="panelHead">
          <h2>Memory</h2>
        </header>
        <MemoryPanel />
      </div>
      <div class="panel" id="registers">
        <header class="panelHead">
          <h2>Registers</h2>
        </header>
        <RegisterPanel />
      </div>
    </>
  )
}
