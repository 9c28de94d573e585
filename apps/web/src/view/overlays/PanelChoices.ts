/**
 * The panels as choices of the palette, each with the command that shows the same in a terminal.
 */
import type { SessionView } from "../../session/SessionView.ts"
import { obstacleOfPanel } from "../layout/PanelNeeds.ts"
import { reveal, revealTab, sourceTab } from "../layout/Panes.ts"

/** Shows the source or the instructions, and puts the focus there. */
const showSource = (tab: "source" | "Disassembly"): void => {
  sourceTab.value = tab
  reveal("Source", tab === "source" ? "#source .lines" : "#source .instructions")
}

/** A panel, its command, and what shows it. */
const panels = [
  ["Source", "source", () => showSource("source")],
  ["Disassembly", "disassemble", () => showSource("Disassembly")],
  ["Stack", "backtrace", () => reveal("Stack", "#stack .frame.chosen", "#stack .row")],
  ["Variables", "locals", () => reveal("Values", "#variables [role=tree]")],
  ["Watch", "print", () => reveal("Watch", "#watch .tools button")],
  ["Activity", "events", () => reveal("Activity", "#activity .rows")],
  ["Console", "print", () => reveal("Console", "#console")],
  ["Output", "output", () => revealTab("Output")],
  ["Registers", "registers", () => revealTab("Registers")],
  ["Memory", "memory read", () => revealTab("Memory")],
  ["Modules", "modules", () => revealTab("Modules")]
] as const

/** Returns the choices: `Show Registers`. */
export const panelChoices = (view: SessionView) =>
  panels.map(([name, command, choose]) => ({
    label: `Show ${name}`,
    command: `sigtrap ${command}`,
    obstacle: obstacleOfPanel(view, name),
    choose
  }))
