/**
 * A layer over the page.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { usePage } from "./PageContext.ts"

/** A layer over the page that Esc closes; the focus goes back to where it was. */
export const Overlay = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => {
  const page = usePage()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    const first = box.current?.querySelector<HTMLElement>("input, button, [tabindex]")
    first?.focus()
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
        }}
      >
        {children}
      </div>
    </div>
  )
}
