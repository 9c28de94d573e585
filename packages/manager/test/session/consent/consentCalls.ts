/** Clients that ask for consent and persons who give it, for tests of questions. */
import { Caller, Client, Effects, type Question } from "@sigtrap/protocol"
import { Effect, type Layer, type Scope } from "effect"
import { begin, call, fakeWith, type manager, over } from "../../support.ts"

/** Runs calls as an actor with these tiers, which may ask for others. */
export const as =
  (actor: Caller.Actor, tiers: ReadonlyArray<Effects.Tier> = Effects.tiers, more: Partial<Caller.Caller> = {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, {
      actor,
      allowance: { effects: Effects.ofTiers(tiers), destructive: tiers.includes("admin"), uses: [] },
      ...more
    })

/** An agent. */
export const agentActor = { kind: "mcp", name: "claude-code" } as const

/** The tiers that an agent has. */
export const usual = ["observe", "control", "evaluate"] as const

const askable = Effects.names.filter((name) => name !== "owner")

/** A client whose calls wait for consent. */
export const waits = { asks: { effects: askable, form: false } }

/** A client that shows questions in a form. */
export const shows = { asks: { effects: askable, form: true } }

/** Runs calls as the agent, which wait for consent. */
export const agent = as(agentActor, usual, waits)

/** Runs calls as the agent, which shows questions in a form. */
export const form = as(agentActor, usual, shows)

/** Runs calls as a person at a terminal. */
export const person = as({ kind: "cli", name: "pts/3", person: true })

/** Runs calls as the person who answers in the form of the agent. */
export const inForm = as({ ...agentActor, person: true })

const list = person(Effect.flatMap(Client.Client, (client) => client.call("ask.list", {})))

/** Returns the questions that wait. */
export const requests = Effect.map(list, ({ data }) => data.requests)

/** Answers a question. */
export const answer = (id: number, verdict: Question.Verdict) =>
  Effect.flatMap(Client.Client, (client) => client.call("ask.answer", { id, answer: verdict }))

/** Starts a session of the person, stopped in `square`. */
export const started = person(call.start({ break: ["square"] }))

/** Starts a call that has to ask, and returns it with its question. */
export const asking = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const running = yield* begin(work)
  const [question] = yield* requests
  if (question === undefined) return yield* Effect.die("nothing was asked")
  return { running, question }
})

/** Runs a test over a fake debugger. */
export const consenting = <A, E>(work: Effect.Effect<A, E, Layer.Success<ReturnType<typeof manager>> | Scope.Scope>) =>
  over(fakeWith({}), Effect.asVoid(work))
