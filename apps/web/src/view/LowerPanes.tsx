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

/** The tabs of the right pane. */
export type LowerTab = "Console" | "Output" | "Registers" | "Memory"

/** The tab that is shown. */
export const lowerTab = signal<LowerTab>("Console")

/** Console, output, registers and memory. */
export const LowerPane = () => {
  const view = useView()
  const lines = outputRows(view.session.output.value).length
  const note = lines === 0 ? undefined : `${lines.toLocaleString("en")} line${lines === 1 ? "" : "s"}`
  return (
    <section class="panel" id="lower" aria-label="Console and output">
      <header class="panelHead">
        <Tabs
          label="Console and output"
          chosen={lowerTab.value}
          tabs={[{ name: "Console" }, { name: "Output", note }, { name: "Registers" }, { name: "Memory" }]}
          onChoose={(name) => (lowerTab.value = name)}
        />
      </header>
      {lowerTab.value === "Console" ? <ConsolePanel /> : null}
      {lowerTab.value === "Output" ? <OutputPanel /> : null}
      {lowerTab.value === "Registers" ? <RegisterPanel /> : null}
      {lowerTab.value === "Memory" ? <MemoryPanel /> : null}
    </section>
  )
}
