/**
 * Who controls a session, as text.
 */
import { Lease, type Answer, type Operations } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"
import * as Events from "./Events.ts"

type Control = Operations.Data<"control.show">

/** `10:31:02 UTC`. */
const clock = (time: number): string => `${Events.clock(time).slice(0, 8)} UTC`

const name = (id: string): string => Doc.cut(id, 80)

const parts = (clients: Control["clients"], lease: Lease.Lease | undefined): ReadonlyArray<string> => {
  const ids = (role: "drive" | "view") =>
    clients.flatMap(({ actor, role: own }) => (own === role && actor.id !== lease?.holder.id ? [name(actor.id)] : []))
  const others = ids("view").join(", ")
  const driver =
    lease === undefined
      ? ids("drive").map((id) => `driver ${id}`)
      : [`driver ${name(lease.holder.id)} (${lease.holder.role}) since ${clock(lease.since)}`]
  return [...driver, ...(others === "" ? [] : [`watching ${others}`])]
}

/** Names the clients of a session once there are two or one has control: `driver mcp:claude-code · watching cli:pts/3`. */
export const clients = (all: Control["clients"], lease: Lease.Lease | undefined): ReadonlyArray<Doc.Line> =>
  all.length < 2 && lease === undefined ? [] : [Doc.line(parts(all, lease).join(" · "))]

type Answered = Answer.Answer<Control>

const session = (answer: Answered): string => answer.session ?? "the session"

/** Returns a time in its largest unit that divides it: `2 min`, `90 s`. */
const duration = (seconds: number): string =>
  seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`

const idle = (lease: Lease.Lease | undefined): string => `${duration(lease?.idle_s ?? Lease.idleMillis / 1000)} idle`

/** Renders the answer of `control take`: `cli:pts/3 drives default (until released, or 2 min idle)`. */
export const taken = (answer: Answered): Doc.Doc => {
  const { lease, previous } = answer.data
  const until = lease?.until === undefined ? "released" : clock(lease.until)
  const before = previous === undefined ? "" : `, taken from ${name(previous.id)}`
  return Doc.lines(
    Doc.line(`${name(lease?.holder.id ?? "")} drives ${session(answer)}${before} (until ${until}, or ${idle(lease)})`)
  )
}

/** Renders the answer of `control release`. */
export const released = (answer: Answered): Doc.Doc => {
  const { previous } = answer.data
  const what = `no client has control of ${session(answer)}`
  return Doc.lines(Doc.line(previous === undefined ? what : `${name(previous.id)} gave up control; ${what}`))
}

/** Renders the answer of `control show`: `default  driver cli:pts/3 (person) since 10:31:02 UTC · watching page`. */
export const shown = (answer: Answered): Doc.Doc => {
  const { clients: all, lease } = answer.data
  const free = lease === undefined ? ["no client has control"] : []
  return Doc.lines(Doc.line(`${session(answer)}  ${[...free, ...parts(all, lease)].join(" · ")}`))
}
