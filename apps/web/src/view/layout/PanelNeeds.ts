/**
 * What a debugger must be able to do for a panel. One that it cannot fill has no tab.
 */
import type { SessionView } from "../../session/SessionView.ts"

/** The capability that a panel needs, and what is said of a debugger without it. */
const needs = {
  Disassembly: ["disassembly", "cannot show instructions"],
  Registers: ["registers", "cannot read registers"],
  Memory: ["read-memory", "cannot read memory"],
  Modules: ["modules", "cannot list modules"]
} as const

type Needing = keyof typeof needs

const isNeeding = (name: string): name is Needing => Object.hasOwn(needs, name)

/** Returns why a panel is empty with this debugger; undefined if the debugger can fill it, or that is not known yet. */
export const panelObstacle = ({ status }: Pick<SessionView, "status">, name: Needing): string | undefined => {
  const [capability, words] = needs[name]
  return status.obstacle(capability, words)
}

/** Returns why one of all panels is empty with this debugger, as `panelObstacle`. */
export const obstacleOfPanel = (view: Pick<SessionView, "status">, name: string): string | undefined =>
  isNeeding(name) ? panelObstacle(view, name) : undefined

/** True if a panel has a tab: false while it is not known what the debugger can do, so that a tab never goes. */
export const hasTab = ({ status }: Pick<SessionView, "status">, name: string): boolean =>
  !isNeeding(name) || status.offers(needs[name][0])
