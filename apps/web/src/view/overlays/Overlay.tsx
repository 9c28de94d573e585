/**
 * A layer over the page.
 */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { NoticeAtEnd } from "../rows/Notices.tsx"
import { usePage } from "../parts/PageContext.ts"

/** What Tab leads to. */
const stations = "a[href], button, input, select, [tabindex='0']"

/** Keeps Tab inside of an element: from its last station it leads to the first one. */
const keepInside = (element: HTMLElement, event: KeyboardEvent): void => {
  const all = [...element.querySelectorAll<HTMLElement>(stations)]
  const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]]
  if (to !== undefined && document.activeElement !== from && element.contains(document.activeElement)) return
  event.preventDefault()
  to?.focus()
}

/** A layer over the page that Esc closes; the focus goes back to where it was. */
export const Overlay = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => {
  const page = usePage()
  const box = useRef<HTMLDivElement>(null)
  // Before the next key is handled: the first letters of a search are not lost.
  useLayoutEffect(() => {
    const before = document.activeElement
    const first = box.current?.querySelector<HTMLElement>("input, button, [tabindex]")
    first?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const close = () => (page.overlay.value = undefined)
  return (
    <div class="backdrop" onMouseDown={(event) => (event.target === event.currentTarget ? close() : undefined)}>
      <div
        class="overlay"
        ref={box}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === "Escape") close()
          if (event.key === "Tab") keepInside(event.currentTarget, event)
        }}
      >
        {children}
        <NoticeAtEnd />
      </div>
    </div>
  )
}
