/**
 * `ask …`: calls that wait until a person allows them.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Identity } from "../model/Caller.ts"
import * as Errors from "../Errors.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Question, Verdict } from "../model/Question.ts"

/** The questions that wait for an answer, the oldest first. */
class Questions extends Model.of<Questions>()(
  Schema.Struct({ requests: Schema.Array(Question) }).annotate({ identifier: "ConsentRequests" })
) {}

/** A question that was answered, and the actor that answered it. */
class Answered extends Model.of<Answered>()(
  Schema.Struct({ request: Question, answer: Verdict, by: Identity }).annotate({ identifier: "AnsweredRequest" })
) {}

/** Lists the calls that wait for consent. */
export class AskList extends Operation.make("ask.list", () => ({
  summary: "List the calls that wait for consent",
  description:
    "Lists the calls of clients that need an effect which they may not have, and wait until a person allows it: who calls, the operation with its arguments, and the effects that are missing. A call that no person answers within its time is denied.",
  effect: "observe",
  effects: {},
  forPeople: true,
  ofSession: true,
  payload: {},
  data: Questions,
  errors: [],
  examples: [{ title: "Show what an agent asks for", input: {} }]
})) {}

/** Answers a question. */
export class AskAnswer extends Operation.make("ask.answer", () => ({
  summary: "Allow or deny a call that waits for consent",
  description:
    "Answers a call that waits for consent. allow is for this call, session for the same effect of this client until the session ends, client until the client leaves, deny refuses the call. Only a person answers, and needs the tier that is asked for; an agent cannot.",
  effect: "control",
  effects: { id: "observe", answer: "observe" },
  forPeople: true,
  ofSession: true,
  payload: {
    id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
      description: "Number of the request",
      ...FieldFacts.placeholder("ID")
    }),
    answer: Verdict.annotate({ description: "What to allow", ...FieldFacts.placeholder("allow|session|client|deny") })
  },
  positional: ["id", "answer"],
  data: Answered,
  errors: [Errors.RequestNotFound, Errors.Permission, Errors.Usage],
  examples: [
    { title: "Allow one call", input: { id: 7, answer: "allow" } },
    { title: "Allow the same effect until the session ends", input: { id: 7, answer: "session" } }
  ]
})) {}
