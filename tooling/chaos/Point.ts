/**
 * One point: some operations on a session, then one during which the daemon is killed, then `recover`. Compares what was
 * acknowledged with what comes back.
 */
import { Breakpoint } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Arena } from "../soak/Arena.ts"
import * as Clients from "../soak/Clients.ts"
import * as Machine from "../soak/Machine.ts"
import { sleep } from "../soak/Timeouts.ts"
import { type Actions, type Asked, asked as askedOf, isSame, type Name } from "./Actions.ts"

const List = Schema.Array(Breakpoint.Breakpoint)
const Listed = Schema.decodeUnknownSync(Schema.Struct({ breakpoints: List }))
const Planned = Schema.decodeUnknownSync(
  Schema.Struct({
    plan: Schema.Array(
      Schema.Struct({
        args: Schema.Array(Schema.String),
        breakpoints: List,
        problem: Schema.optionalKey(Schema.String)
      })
    )
  })
)
type Plan = ReturnType<typeof Planned>["plan"][number]
const Recovered = Schema.decodeUnknownSync(
  Schema.Struct({
    pid: Schema.optionalKey(Schema.Int),
    recovered: Schema.Struct({ lost: Schema.Array(Schema.Struct({ what: Schema.String, why: Schema.String })) })
  })
)
const Started = Schema.decodeUnknownSync(Schema.Struct({ pid: Schema.optionalKey(Schema.Int) }))
const Information = Schema.decodeUnknownSync(Schema.Struct({ label: Schema.optionalKey(Schema.String) }))

/** What a point shows: the operation was acknowledged, or came back whole, or did not happen; and what was lost. */
export interface Finding {
  readonly name: Name
  readonly fate: "acknowledged" | "complete" | "absent"
  readonly losses: ReadonlyArray<string>
  /** What `recover` itself says it did not restore. */
  readonly reported: ReadonlyArray<string>
}

/** A value of the client's environment that no record may contain. */
const secret = "chaos-value-that-is-not-stored"

const strings = (pid: number | undefined, file: "environ" | "cmdline"): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid ?? 0}/${file}`, "utf8")
      .split("\0")
      .slice(0, -1)
  } catch {
    return []
  }
}

const environmentNames = (pid: number | undefined) =>
  strings(pid, "environ")
    .map((variable) => variable.split("=", 1)[0] ?? "")
    .toSorted()
    .join(" ")

/** Runs points on one runtime directory. */
export class Points {
  readonly #arena: Arena
  readonly #place: Clients.Place
  readonly #random: () => number
  #caller: Clients.Caller
  /** Newest duration of each operation, in milliseconds. */
  readonly #durations = new Map<Name, number>()
  /** Names of the variables of the first program that was started. */
  #environment: string | undefined

  constructor(arena: Arena, random: () => number) {
    const { directory, environment, runtime } = arena
    this.#arena = arena
    this.#random = random
    this.#place = { directory, runtime, environment: { ...environment, CHAOS_TOKEN: secret } }
    this.#caller = Clients.library(this.#place)
  }

  #call(tag: string, input: Clients.Input): Promise<Clients.Outcome> {
    return this.#caller.call(tag, input)
  }

  /** Calls an operation that must succeed. */
  async #data(tag: string, input: Clients.Input): Promise<Clients.Input> {
    const { code, data, message, ok } = await this.#call(tag, input)
    if (!ok) throw new Error(`${tag} failed: ${code} ${message}`)
    return data
  }

  /** Returns the session as its answers show it. */
  async #asked(session: string, args: ReadonlyArray<string>): Promise<Asked> {
    const { breakpoints } = Listed(await this.#data("breakpoint.list", { session }))
    const { label = "" } = Information(await this.#data("session.info", { session }))
    return { args, label, breakpoints, sources: dirname(breakpoints[0]?.locations[0]?.file ?? "") }
  }

  /** Runs operations before the kill, and returns the session after them. */
  async #prepare(session: string, actions: Actions, preparations: ReadonlyArray<Name>): Promise<Asked | undefined> {
    let asked: Asked | undefined
    for (const name of preparations) {
      const { input, tag } = actions.make(name, asked)
      const from = performance.now()
      const data = await this.#data(tag, { ...input, session })
      this.#durations.set(name, performance.now() - from)
      if (name === "start") this.#environment ??= environmentNames(Started(data).pid)
      const args = Array.isArray(input["args"]) ? input["args"].map(String) : (asked?.args ?? [])
      asked = await this.#asked(session, args)
    }
    return asked
  }

  /** Kills the daemon during an operation of usually `usual` milliseconds. Returns whether the operation was acknowledged. */
  async #killDuring(tag: string, input: Clients.Input, usual: number): Promise<boolean> {
    const daemon = this.#arena.daemon()
    if (daemon === undefined) throw new Error("no daemon runs")
    const call = this.#call(tag, input)
    await sleep(usual * 1.2 * this.#random())
    Machine.signal(daemon, "SIGKILL")
    const { ok } = await call
    await this.#caller.close().catch(() => undefined)
    await this.#arena.startDaemon()
    this.#caller = Clients.library(this.#place)
    return ok
  }

  /** Returns how long an operation usually takes, in milliseconds. */
  #usual(name: Name): number {
    return this.#durations.get(name) ?? this.#durations.get("start") ?? 1000
  }

  /** Kills the daemon during `recover`, and compares the next plan with the plan before. */
  async #killDuringRecover(session: string, before: Plan, losses: Array<string>): Promise<void> {
    const isAnswered = await this.#killDuring(
      "recover",
      { name: session, yes: true, timeout: "30s" },
      this.#usual("start")
    )
    const shown = await this.#call("recover", { name: session })
    const [plan] = shown.ok ? Planned(shown.data).plan : []
    const list = (one: Plan | undefined) =>
      (one?.breakpoints ?? [])
        .filter(({ temporary }) => !temporary)
        .map(askedOf)
        .join("\n")
    const isSameList = list(plan) === list(before) && plan?.args.join(" ") === before.args.join(" ")
    const isCounted = before.breakpoints.every(
      (one) => (plan?.breakpoints.find(({ id }) => id === one.id)?.hit_count ?? -1) >= one.hit_count || one.temporary
    )
    if (isSameList && isCounted) return
    const how = isAnswered ? "answered" : "unanswered"
    losses.push(`a kill during recover (${how}): ${shown.message} ${JSON.stringify({ before, plan })}`)
  }

  /** Recovers the session, and returns what was asked of it. Nothing if no session of this name is lost. */
  async #recover(session: string, losses: Array<string>, reported: Array<string>): Promise<Asked | undefined> {
    const shown = await this.#call("recover", { name: session })
    if (!shown.ok) {
      if (shown.code !== "SESSION_NOT_FOUND" && shown.code !== "NO_SESSION") losses.push(`plan: ${shown.message}`)
      return undefined
    }
    const [plan] = Planned(shown.data).plan
    // The ledger names a session whose start was interrupted before it was recorded.
    if (plan === undefined || (plan.problem !== undefined && plan.breakpoints.length === 0)) return undefined
    const record = join(this.#arena.runtime, "intent", `${session}.jsonl`)
    if (existsSync(record) && readFileSync(record, "utf8").includes(secret))
      losses.push("the record has a secret value")
    if (this.#random() < 0.5) await this.#killDuringRecover(session, plan, losses)
    const { data, message, ok } = await this.#call("recover", { name: session, yes: true, timeout: "30s" })
    if (!ok) {
      losses.push(`recover failed: ${message}`)
      return undefined
    }
    const { pid, recovered } = Recovered(data)
    for (const { what, why } of recovered.lost) reported.push(`${what}: ${why}`)
    const [, ...words] = strings(pid, "cmdline")
    if (words.join("\n") !== plan.args.join("\n")) losses.push(`arguments: ${words.join(" ")}`)
    const environment = environmentNames(pid)
    this.#environment ??= environment
    if (environment !== this.#environment) losses.push(`environment: ${environment}, not ${this.#environment}`)
    const now = await this.#asked(session, plan.args)
    const before = plan.breakpoints.filter(({ temporary }) => !temporary)
    const text = (list: Asked["breakpoints"]) => list.map(askedOf).join("\n")
    if (text(now.breakpoints) !== text(before))
      losses.push(`breakpoints: ${text(now.breakpoints)}, not ${text(before)}`)
    return { ...now, breakpoints: plan.breakpoints }
  }

  /** Runs a point: the preparations, then `name`, during which the daemon is killed. */
  async run(session: string, actions: Actions, preparations: ReadonlyArray<Name>, name: Name): Promise<Finding> {
    const losses: Array<string> = []
    const reported: Array<string> = []
    const before = await this.#prepare(session, actions, preparations)
    const action = actions.make(name, before)
    const isAcknowledged = await this.#killDuring(action.tag, { ...action.input, session }, this.#usual(name))
    const now = await this.#recover(session, losses, reported)
    const isComplete = now !== undefined && action.isComplete(now, before)
    // A restart and a program that runs count hits that no answer has shown.
    const isUnchanged =
      now === undefined
        ? before === undefined || action.tag === "start"
        : isSame(now, before, name !== "continue" && name !== "restart")
    if (isAcknowledged ? !isComplete : !isComplete && !isUnchanged) {
      losses.push(
        `${isAcknowledged ? "acknowledged" : "half"}: ${JSON.stringify({ input: action.input, before, now })}`
      )
    }
    await this.#call("stop", { names: [session], if_exists: true })
    return {
      name,
      losses,
      reported,
      fate: isAcknowledged ? "acknowledged" : isComplete && !isUnchanged ? "complete" : "absent"
    }
  }

  /** Closes the connection to the daemon. */
  close(): Promise<void> {
    return this.#caller.close()
  }
}
