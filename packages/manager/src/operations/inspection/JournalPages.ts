/**
 * Waits for a page of a session's journal that is not empty (`follow`).
 */
import { Field, Session as Model } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"

/** Reads until a page is found, the session ends, or the timeout expires. */
export const following = <A, E>(
  session: Session,
  payload: { readonly follow: boolean; readonly timeout: string },
  read: Effect.Effect<{ readonly page: A; readonly found: boolean; readonly next: number }, E>
): Effect.Effect<A, E> => {
  const again: Effect.Effect<A, E> = Effect.flatMap(read, ({ found, next, page }) =>
    found || !payload.follow || !Model.isLive(session.log.snapshot.state)
      ? Effect.succeed(page)
      : Effect.andThen(session.log.reaches(next), again)
  )
  const millis = Field.millis(payload.timeout)
  if (!payload.follow || !Number.isFinite(millis)) return again
  return Effect.timeoutOrElse(again, { duration: millis, orElse: () => Effect.map(read, ({ page }) => page) })
}
