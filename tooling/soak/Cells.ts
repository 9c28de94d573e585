/** The rows and columns of a soak: operations, and the faults that they meet. */

/** Operations, the rows of the report. */
export const operations = [
  "start",
  "attach",
  "restart",
  "break",
  "continue",
  "next",
  "print",
  "output",
  "recover",
  "stop"
] as const
/** An operation. */
export type Operation = (typeof operations)[number]

/** Faults of one session. */
export const sessionFaults = ["none", "adapter", "program", "client", "poison"] as const
/** How often each operation meets each fault in half an hour. */
export const wanted = 20
/** A fault: `kill` and `pause` concern the daemon. */
export type Fault = (typeof sessionFaults)[number] | "kill" | "pause" | "disk" | "clock"
