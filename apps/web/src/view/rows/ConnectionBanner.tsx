/**
 * The banner of a lost connection: since when, and when the page connects again.
 */
import { trueAt } from "../../session/words/Words.ts"
import { Icon } from "../parts/Icons.tsx"
import { usePage, useView } from "../parts/PageContext.ts"
import { Button } from "../parts/Parts.tsx"
import { usePhone } from "../layout/WindowWidths.ts"

/** Takes the place of the stops row while there is no connection. A screen reader says it once, without the seconds. */
export const ConnectionBanner = ({ now }: { readonly now: number }) => {
  const page = usePage()
  const view = useView()
  const connection = page.connection.value
  if (connection.state !== "lost") return null
  const time = new Date(connection.since).toTimeString().slice(0, 8)
  const ago = Math.max(0, Math.floor((now - connection.since) / 1000))
  const again = Math.max(0, Math.ceil((connection.again - now) / 1000))
  const next = again === 0 ? "Trying again." : `Trying again in ${again} s.`
  const phone = usePhone()
  return (
    <div class="banner" role="alert">
      <Icon name="warn" />
      <span>
        <strong>
          {connection.silent !== true
            ? "Connection lost at"
            : phone
              ? "No answer since"
              : "The daemon has not answered since"}{" "}
          {time}
          <span aria-hidden="true">, {ago} s ago</span>.
        </strong>{" "}
        {phone ? <span aria-hidden="true">{next}</span> : trueAt(view.session.seq.value)}
      </span>
      {phone ? null : (
        <span class="again" aria-hidden="true">
          {next}
        </span>
      )}
      <span class="space" />
      <Button label="Try now" onClick={() => page.retry()} />
    </div>
  )
}
