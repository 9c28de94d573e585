/**
 * A small box below a button. A press outside of it closes it, and so does Esc; the focus goes back to where it was.
 */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

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
  // Before the next key is handled.
  useLayoutEffect(() => {
    const before = document.activeElement
    const element = box.current
    element?.querySelector<HTMLElement>("input:checked, input, button")?.focus()
    const onDown = ({ target }: PointerEvent) => {
      const inside = target instanceof Element && (element?.contains(target) === true || target.closest(anchor))
      if (!inside) onClose()
    }
    document.addEventListener("pointerdown", onDown)
    return () => {
      document.removeEventListener("pointerdown", onDown)
      // Tab has led the focus somewhere else already.
      const inside = element?.contains(document.activeElement) === true || document.activeElement === document.body
      if (inside && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <div
      class={className}
      role="dialog"
      aria-label={label}
      ref={box}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const left = relatedTarget instanceof Element && !currentTarget.contains(relatedTarget)
        if (left && relatedTarget.closest(anchor) === null) onClose()
      }}
      onKeyDown={(event) => {
        // Keys that act everywhere, such as Ctrl+K, act here too.
        if (event.key !== "Escape") return
        event.stopPropagation()
        onClose()
      }}
    >
      {children}
    </div>
  )
}
