/**
 * The breakpoints: on and off, where, whose, how often they were hit, and why one is not placed.
 */
import { useRef, useState } from "preact/hooks"
import { whoIs } from "../../session/words/ActorWords.ts"
import { limitsOf, signOf } from "../../session/breakpoints/BreakpointFields.ts"
import { breakpointPlace } from "../../session/breakpoints/BreakpointWords.ts"
import { warningsOfBreakpoint } from "../../session/Warnings.ts"
import { Icon } from "../parts/Icons.tsx"
import { useFocusInside } from "../parts/KeptFocus.ts"
import { usePage, useView } from "../parts/PageContext.ts"
import { phoneTab } from "../layout/Panes.ts"
import { Button, focusAtFirst, keepKey, Panel, Shape } from "../parts/Parts.tsx"
import { moveFocus } from "../parts/RowFocus.ts"
import { join } from "@sigtrap/protocol/ShellWords"

/** The breakpoints: on and off, where, whose, and how often they were hit. */
export const BreakpointPanel = () => {
  const page = usePage()
  const view = useView()
  const session = view.session.name
  const breakpoints = view.breakpoints.value
  const owner = (id: number) =>
    view.session.events.value.find(
      ({ event }) => event._tag === "BreakpointChanged" && event.change === "set" && event.breakpoint.id === id
    )?.actor
  const hasLines = view.session.snapshot.value.stop > 0 && view.noSource.value === undefined
  const [adding, setAdding] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useFocusInside(
    box,
    (list) =>
      list.querySelector<HTMLElement>(".row.breakpoint .button") ??
      list.closest(".panel")?.querySelector<HTMLElement>(".panelHead .button")
  )
  const add = async (at: string) => {
    setAdding(false)
    if (at === "") return
    await page.act("break", { session, at }, `sigtrap break ${join([at])} --session ${session}`)
    await view.readBreakpoints()
  }
  const remove = async (id: number) => {
    await page.act("breakpoint.remove", { session, ids: [id] }, `sigtrap breakpoint remove ${id} --session ${session}`)
    await view.readBreakpoints()
  }
  const toggle = async (id: number, enabled: boolean) => {
    const verb = enabled ? "breakpoint.disable" : "breakpoint.enable"
    await page.act(verb, { session, ids: [id] }, `sigtrap ${verb.replace(".", " ")} ${id} --session ${session}`)
    await view.readBreakpoints()
  }
  return (
    <Panel
      id="breakpoints"
      label="Breakpoints"
      title="Breakpoints"
      note={`${breakpoints.length === 0 ? "none" : breakpoints.length}${view.past.value ? ", as of now" : ""}`}
      tools={<Button label="Add a breakpoint" icon="plus" iconOnly kind="bare" onClick={() => setAdding(!adding)} />}
    >
      <div class="scroll" ref={box} onKeyDown={(event) => moveFocus(event, ".row.breakpoint button")}>
        {adding ? (
          <input
            type="text"
            class="addWatch"
            aria-label="Place of the breakpoint"
            placeholder="app.c:14 or a function"
            ref={focusAtFirst}
            onKeyDown={(event) => {
              keepKey(event)
              if (event.key === "Enter") void add(event.currentTarget.value.trim())
              if (event.key === "Escape") setAdding(false)
            }}
          />
        ) : null}
        {breakpoints.length > 0 ? null : (
          <p class="empty">{hasLines ? "Click left of a line number to set one." : "Press + to set one."}</p>
        )}
        <ul class="breakpointList">
          {breakpoints.map((one) => {
            const place = breakpointPlace(one)
            const actor = owner(one.id)
            const [location] = one.locations
            const [sign, limits] = [signOf(one), limitsOf(one)]
            const stop = view.stops.value.findLast(({ breakpoints: hit }) => hit?.includes(one.id) === true)?.stop
            // Hits are counted from the start of the program. The stop may be one of the run before.
            const last = one.hit_count === 0 ? undefined : stop
            const hits = `${one.hit_count} hit${one.hit_count === 1 ? "" : "s"}`
            return (
              <li key={one.id} class="breakpointItem">
                <div class="row breakpoint">
                  <button
                    type="button"
                    class={`sign ${sign}`}
                    aria-pressed={one.enabled}
                    aria-label={`Breakpoint ${one.id} is ${one.enabled ? "on" : "off"}`}
                    onClick={() => void toggle(one.id, one.enabled)}
                  />
                  <button
                    type="button"
                    class="name link"
                    title={last === undefined ? hits : `${hits}, the last one is stop ${last}`}
                    onClick={() => {
                      if (location?.file === undefined) return
                      phoneTab.value = "Source"
                      void view.open(location.file, location.line ?? 1)
                    }}
                  >
                    {one.id} {place}
                  </button>
                  {actor === undefined ? null : <Shape who={whoIs(actor, page.credentials.actor.id)} />}
                  <span key={one.hit_count} class="hits">
                    {hits}
                    {last === undefined ? null : <span class="hiddenName">, the last one is stop {last}</span>}
                  </span>
                  <Button
                    label={`Remove breakpoint ${one.id}`}
                    icon="close"
                    iconOnly
                    kind="bare"
                    onClick={() => void remove(one.id)}
                  />
                </div>
                {limits.length === 0 ? null : (
                  <p class="when">
                    {limits.map(({ code, words }, at) => (
                      <span key={words}>
                        {at === 0 ? "" : " · "}
                        {words}
                        {code === undefined ? null : [" ", <code key="code">{code}</code>]}
                      </span>
                    ))}
                  </p>
                )}
                {one.resolved ? null : <p class="when">{one.reason ?? "pending"}</p>}
                {warningsOfBreakpoint(view.session, one).map((words) => (
                  <p key={words} class="when warning">
                    <Icon name="warn" />
                    {words}
                  </p>
                ))}
              </li>
            )
          })}
        </ul>
      </div>
    </Panel>
  )
}
