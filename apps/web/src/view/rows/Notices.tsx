/**
 * Notices: a sentence with its action, in the row of the stops, or over the end of the page where that row is hidden or absent.
 */
import { useLayoutEffect, useRef } from "preact/hooks"
import { copy } from "../../session/actions/Clipboard.ts"
import { type Notice, wholeMessage } from "../../session/Notice.ts"
import { Icon } from "../parts/Icons.tsx"
import { usePage } from "../parts/PageContext.ts"
import { Button, Shape } from "../parts/Parts.tsx"

/** A notice. When it goes, the focus goes back to what had it before. */
export const NoticeBox = ({ notice }: { readonly notice: Notice }) => {
  const page = usePage()
  const box = useRef<HTMLDivElement>(null)
  const before = useRef<HTMLElement | undefined>(undefined)
  const { command } = notice
  const words = command === undefined ? notice.text : `${notice.text} ${command}`
  useLayoutEffect(() => {
    const element = box.current
    return () => {
      if (element?.contains(document.activeElement) === true) before.current?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <div
      ref={box}
      class={`notice ${notice.tone}`}
      role="status"
      onMouseEnter={() => page.holdNotice()}
      onMouseLeave={() => page.releaseNotice()}
      onFocusIn={({ relatedTarget }) => {
        page.holdNotice()
        if (relatedTarget instanceof HTMLElement && box.current?.contains(relatedTarget) !== true)
          before.current = relatedTarget
      }}
      onFocusOut={() => page.releaseNotice()}
    >
      {notice.who === undefined ? null : <Shape who={notice.who} />}
      {notice.tone === "warning" ? <Icon name="warn" /> : null}
      <span class="noticeText" title={words}>
        {notice.text}
      </span>
      {command === undefined ? null : (
        <>
          <code>{command}</code>
          <Button label="Copy" onClick={() => copy(page, command, "The command")} />
        </>
      )}
      {notice.action?.label === wholeMessage ? null : (
        <Button className="showWhole" label="Show" onClick={() => page.showWords("Message", words)} />
      )}
      {notice.action === undefined ? null : <Button label={notice.action.label} onClick={notice.action.run} />}
      <Button
        label="Close"
        icon="close"
        iconOnly
        kind="bare"
        className="closeNotice"
        onClick={() => (page.notice.value = undefined)}
      />
    </div>
  )
}

/** Returns the notice of the page itself: none while a layer covers the page, which shows it then. */
export const useRowNotice = (): Notice | undefined => {
  const { notice, overlay } = usePage()
  return overlay.value === undefined || overlay.value === "menu" ? notice.value : undefined
}

/** The notice over the end of the page. */
export const NoticeAtEnd = () => {
  const notice = usePage().notice.value
  return notice === undefined ? null : (
    <div class="noticeAtEnd">
      <NoticeBox notice={notice} />
    </div>
  )
}

/** The notice over the end of a page without a row of stops; none while a layer covers the page. */
export const NoticeWithoutRow = () => (useRowNotice() === undefined ? null : <NoticeAtEnd />)
