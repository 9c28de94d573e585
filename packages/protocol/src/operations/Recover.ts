/**
 * `recover`: brings back sessions whose daemon or debugger was killed.
 */
import * as Schema from "effect/Schema"
import * as Model from "../internal/Model.ts"
import { Breakpoint } from "../model/Breakpoint.ts"
import * as Errors from "../Errors.ts"
import * as Field from "../Field.ts"
import * as FieldFacts from "../FieldFacts.ts"
import * as Operation from "../Operation.ts"
import { Name, SessionState } from "../model/Session.ts"
import { StopReport } from "../model/Stop.ts"
import { Started } from "./Start.ts"
import * as StartFields from "./StartFields.ts"

/** How a session comes back: by attaching to its target, or by starting its program. */
const How = Schema.Literals(["attach", "start"]).annotate({ identifier: "RecoverHow" })

/** Something that does not come back as it was, and why. */
class Loss extends Model.of<Loss>()(
  Schema.Struct({ what: Schema.String, why: Schema.String }).annotate({ identifier: "Loss" })
) {}

/**
 * What `recover` will do with a session. It attaches to the process `pid`, opens the file `core`, or connects to the debug server
 * at `address`; without these it starts the program. `ended` is how the program ended, if that was
 * before. `rebuilt` is true if the program's file is another build. `displays` are the expressions shown at its stops. `moves` are
 * breakpoints whose line has another number now. `lost` is what will be missing. With `problem` the session cannot be recovered.
 */
class Plan extends Model.of<Plan>()(
  Schema.Struct({
    session: Schema.String,
    how: How,
    reason: Schema.String,
    program: Schema.String,
    args: Schema.Array(Schema.String),
    cwd: Schema.String,
    pid: Schema.optionalKey(Schema.Int),
    core: Schema.optionalKey(Schema.String),
    address: Schema.optionalKey(Schema.String),
    ended: Schema.optionalKey(Schema.String),
    stop: Schema.Int,
    breakpoints: Schema.Array(Breakpoint),
    displays: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({ id: Schema.Int, expression: Schema.String, format: Schema.optionalKey(Schema.String) })
      )
    ),
    rebuilt: Schema.Boolean,
    moves: Schema.Array(Schema.Struct({ id: Schema.Int, from: Schema.Int, to: Schema.Int })),
    lost: Schema.Array(Loss),
    problem: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "RecoverPlan" })
) {}

/** One session of `recover --all`: its state afterwards, or the error. */
class Outcome extends Model.of<Outcome>()(
  Schema.Struct({
    session: Schema.String,
    state: SessionState,
    how: Schema.optionalKey(How),
    lost: Schema.Array(Loss),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String }))
  }).annotate({ identifier: "RecoverOutcome" })
) {}

/** A stop report whose `event` is absent while only the plan is shown. */
interface Report {
  readonly fields: Omit<(typeof StopReport)["fields"], "event">
}

const { event, ...fields } = StopReport.fields
const report: Report = { fields }
const { adapter, args, pid, program, session } = Started.fields

/** Recovers lost sessions, after showing what that means. */
export class Recover extends Operation.make("recover", () => ({
  summary: "Recover a lost session",
  tool: "Recover a lost session; without yes it only shows what it would do",
  description:
    "Brings back a session whose daemon or debugger was killed. Without yes it shows the plan: what it starts or attaches to, and what will be missing. With yes it attaches to a process that still lives, or starts the program again, and returns the first stop. Numbers, conditions and counts of breakpoints stay. Secret environment variables are taken from the caller.",
  effect: "launch",
  effects: { name: "observe", all: "observe", yes: "observe", run: "observe" },
  execution: "restart",
  completes: "sessions",
  frequency: "common",
  destructive: false,
  payload: {
    name: Operation.optional(
      Name.annotate({ description: "Session to recover (the lost one)", ...FieldFacts.placeholder("SESSION") })
    ),
    all: Field.flag("Recover every lost session"),
    yes: Field.flag("Do it, instead of showing the plan"),
    run: Field.flagOn("Run a started program after loading it"),
    session: Field.session,
    settings: Field.settings,
    environment: StartFields.session.environment,
    ...Field.reportWithin("timeouts.launch")
  },
  positional: ["name"],
  parts: "sessions",
  data: Schema.Struct(
    Model.extended(report, {
      event: Schema.optionalKey(event),
      session: Schema.optionalKey(session),
      pid,
      adapter: Schema.optionalKey(adapter),
      program: Schema.optionalKey(program),
      args: Schema.optionalKey(args),
      /** False if only the plan is shown. */
      done: Schema.Boolean,
      plan: Schema.optionalKey(Schema.Array(Plan)),
      recovered: Schema.optionalKey(
        Schema.Struct({ how: How, breakpoints: Schema.Array(Breakpoint), lost: Schema.Array(Loss) })
      ),
      /** Only with `all`. */
      sessions: Schema.optionalKey(Schema.Array(Outcome))
    })
  ).annotate({ identifier: "Recovered" }),
  errors: [...Errors.selection, ...StartFields.errors, Errors.InvalidState],
  examples: [
    { title: "Show what would be done", input: {} },
    { title: "Recover a session", input: { name: "default", yes: true } }
  ]
})) {}
