/**
 * The answers of `attach`, `core` and `detach` as text: the process or file, then the stop report.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Sessions from "./Sessions.ts"
import type * as View from "./View.ts"

/** Renders the answer of `attach`, with the command line of the process. */
export const attached = (view: View.View, data: Operations.Data<"attach">, stop: number | undefined): Doc.Doc =>
  Doc.concat(
    Doc.lines(Doc.line(`attached to ${Doc.cut([data.program, ...data.args].join(" "), 120)}`)),
    Sessions.started(view, data, stop)
  )

/** Renders the answer of `core`. */
export const opened = (view: View.View, data: Operations.Data<"core">, stop: number | undefined): Doc.Doc => {
  const fault = data.fault_address === undefined ? "" : ` at ${data.fault_address}`
  const signal = data.fatal_signal === undefined ? "" : `: ${data.fatal_signal}${fault}`
  return Doc.concat(
    Doc.lines(Doc.line(`core file ${Doc.cut(data.core, 120)}${signal}`)),
    Sessions.started(view, data, stop)
  )
}

/** Renders `detached; pid 4711 is alive and running`. */
export const detached = (data: Operations.Data<"detach">): Doc.Doc => {
  const { problem } = data
  return problem === undefined
    ? after(data)
    : Doc.concat(Doc.lines(Doc.line(Doc.span(`warning: ${problem}`, "warning"))), after(data))
}

const after = ({ alive, pid, suspended, traced }: Operations.Data<"detach">): Doc.Doc => {
  const who = pid === undefined ? "the program" : `pid ${pid}`
  if (alive === undefined) return Doc.lines(Doc.line(`detached; ${who} cannot be checked from here`))
  if (!alive) return Doc.lines(Doc.line(Doc.span(`detached; ${who} has ended`, "warning")))
  const how = suspended === true ? "alive but stopped" : "alive and running"
  const tracer = traced === true ? ", still traced by a debugger" : ""
  return Doc.lines(Doc.line(`detached; ${who} is ${how}${tracer}`))
}
