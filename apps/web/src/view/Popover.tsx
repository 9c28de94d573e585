/**
 * A small box below a button. A press outside of it closes it, and so does Esc; the focus goes back to where it was.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** The box. `anchor` selects the button, whose own press does not count as one outside. */
export const Popover = ({
  anchor,
  children,
  className,
  label,
  onClose
}: {
  readonly label: string
  readonly className: string
  readonly anchor: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.querySelector<HTMLElement>("input:checked, input, button")?.focus()
    const onDown = ({ target }: PointerEvent) => {
      const inside = target instanceof Element && (box.current?.contains(target) === true || target.closest(anchor))
      if (!inside) onClose()
    }
    document.addEventListener("pointerdown", onDown)
    return () => {
      document.removeEventListener("pointerdown", onDown)
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <div
      class={className}
      role="dialog"
      aria-label={label}
      ref={box}
      onKeyDown={(event) => {
        if (event.key === "Tab") return
        event.stopPropagation()
        if (event.key === "Escape") onClose()
      }}
    >
      {children}
    </div>
  )
}
