/** Styles of the page that are not among its own sizes and colours. */
import { Effect } from "effect"
import type { Page } from "playwright-core"

/**
 * The sizes of the page: fonts with their line heights, spaces and radii. Source and its values have lines of 20 and
 * 24 pixels; 70 pixels are the width of the line numbers.
 */
const sizes = {
  fonts: [
    "20px/28px",
    "15px/20px",
    "13px/20px",
    "13px/24px",
    "12px/16px",
    "11px/16px",
    "12px/20px",
    "12px/24px",
    "11px/20px"
  ],
  spaces: ["0px", "1px", "2px", "4px", "6px", "8px", "12px", "16px", "24px", "32px", "48px", "70px", "normal"],
  radii: ["0px", "2px", "4px", "6px", "8px", "10px", "50%"]
}

/** Returns sizes and colours of visible elements that are not among those of the page, each with an element. */
export const unusualStyles = (page: Page) =>
  Effect.promise(async () =>
    String(
      await page.evaluate(`(() => {
        const sizes = ${JSON.stringify(sizes)}
        const probe = document.body.appendChild(document.createElement("i"))
        const colors = new Set(["rgba(0, 0, 0, 0)"])
        for (const sheet of document.styleSheets) for (const rule of sheet.cssRules) {
          const rules = [rule, ...(rule.cssRules ?? [])]
          for (const { style } of rules) for (const name of style ?? []) if (name.startsWith("--")) {
            probe.style.color = ""
            probe.style.color = "var(" + name + ")"
            colors.add(getComputedStyle(probe).color)
          }
        }
        probe.remove()
        const found = new Map()
        const check = (kind, value, known, element) => {
          if (!known.includes(value)) found.set(kind + " " + value, element.tagName + "." + element.getAttribute("class"))
        }
        for (const element of document.body.querySelectorAll("*")) {
          if (element.getBoundingClientRect().width < 2) continue
          const style = getComputedStyle(element)
          // Chromium gives a select its own line height.
          if (element.tagName !== "SELECT") check("font", style.fontSize + "/" + style.lineHeight, sizes.fonts, element)
          for (const side of ["Top", "Right", "Bottom", "Left"]) check("padding", style["padding" + side], sizes.spaces, element)
          check("gap", style.rowGap, sizes.spaces, element)
          check("gap", style.columnGap, sizes.spaces, element)
          check("radius", style.borderTopLeftRadius, sizes.radii, element)
          check("color", style.color, [...colors], element)
          check("background", style.backgroundColor, [...colors], element)
        }
        return [...found].map((pair) => pair.join(" ")).join("\\n")
      })()`)
    )
      .split("\n")
      .filter((line) => line !== "")
  )
