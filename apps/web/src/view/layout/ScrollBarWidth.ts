/**
 * The width of the scroll bars of this browser: none for those that are over what they scroll.
 */

/** Measures a thin scroll bar once, as `--scrollBar` of the page. Rows leave that room at their right end, with and without a scroll bar. */
export const install = (): void => {
  const box = document.body.appendChild(document.createElement("div"))
  box.className = "scrollProbe"
  document.documentElement.style.setProperty("--scrollBar", `${box.offsetWidth - box.clientWidth}px`)
  box.remove()
}
