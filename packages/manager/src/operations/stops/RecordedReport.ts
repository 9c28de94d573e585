/**
 * Keeps stop reports for later, with the secrets masked that their callers were shown.
 */
import type { Stop, Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { SeenValue } from "../../session/values/ChangedValues.ts"
import type { Session } from "../../session/Session.ts"

const masked = ({ secrets }: Session, data: Stop.StopReport): Stop.StopReport => {
  const { evaluations, exception, locals, watch, ...rest } = data
  return {
    ...rest,
    ...(locals === undefined ? {} : { locals: locals.map((local) => secrets.shown(local, false)) }),
    ...(evaluations === undefined
      ? {}
      : {
          evaluations: evaluations.map(({ value, ...one }) =>
            value === undefined ? one : { ...one, value: secrets.shown({ name: one.expression, value }, false).value }
          )
        }),
    ...(exception === undefined
      ? {}
      : {
          exception: {
            ...exception,
            ...(exception.message === undefined ? {} : { message: secrets.inText(exception.message) })
          }
        }),
    ...(watch === undefined || secrets.named(watch.expression) ? {} : { watch })
  }
}

/** Keeps the report of a stop, in the frame that reports show by default. */
export const record = (session: Session, stop: number, data: Stop.StopReport, context: Stop.Detail) =>
  Effect.map(Secrets.Reveal, (reveal) =>
    session.past.at(stop)?.recordReport(reveal ? masked(session, data) : data, context)
  )

/** Compares the variables of the reported frame with those of an earlier stop. Values that show secrets are not compared. */
export const compare = (
  session: Session,
  stop: number,
  key: string,
  values: ReadonlyArray<Variable.Variable>,
  seen: ReadonlyMap<string, SeenValue>
) => Effect.map(Secrets.Reveal, (reveal) => (reveal ? undefined : session.past.compare(stop, key, values, seen)))
