/**
 * The states that show one panel, one overlay, or another way of drawing the page.
 */
import {
  type State,
  dressed,
  hunting,
  inSource,
  key,
  lower,
  named,
  panel,
  session,
  state,
  stepping
} from "./StateSteps.ts"

/** The states of panels and overlays, enlarged pages and forced colours. */
export const panelStates: ReadonlyArray<State> = [
  {
    name: "registers",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Registers")
      await page.getByText("rip").first().waitFor()
    }
  },
  {
    name: "memory",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Memory")
      await page.getByLabel("Address or expression").fill("p")
      await page.keyboard.press("Enter")
      await page.locator(".bytes").first().waitFor()
    }
  },
  {
    name: "marked-bytes",
    prepare: hunting,
    session,
    show: async (page) => {
      await dressed(page)
      await panel(page, "Values")
      await page.locator(".row.value[aria-level='2']").nth(2).click()
      await lower(page, "Memory")
      await page.locator(".bytes .marked").first().waitFor()
    }
  },
  {
    name: "disassembly",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await page.getByRole("tab", { name: "Disassembly" }).first().click()
      await page.locator(".instructions .current").waitFor()
    }
  },
  {
    name: "modules",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Modules")
      await page.locator(".modules tr").first().waitFor()
    }
  },
  {
    name: "value-menu",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await panel(page, "Values")
      await page.locator(".row.value").first().click({ button: "right" })
      await page.locator(".valueMenu").waitFor()
    }
  },
  {
    name: "menu",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await page.locator(".menuButton").click()
    }
  },
  {
    name: "zoom-400",
    prepare: hunting,
    session,
    show: dressed,
    formats: [{ width: 320, height: 200 }],
    options: { deviceScaleFactor: 4 }
  },
  {
    name: "big-array",
    prepare: (stage) => void stage.agent("start", "./numbers", "--break", "numbers.c:12", ...named),
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Console")
      await page.keyboard.press("Alt+1")
      await page.keyboard.type("squares")
      await page.keyboard.press("Enter")
      await page.locator(".answered .opener").click()
      await page.locator("#lower .row.value").first().waitFor()
    }
  },
  {
    name: "long-output-with-gap",
    prepare: (stage) => {
      stage.agent("start", "./flood", "--break", "flood.c:7", ...named, "--", "24")
    },
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Output")
      await page.locator(".outputLine").first().waitFor()
      // The first kept line, below the gap.
      await page.locator("#lower [aria-label='Output']").evaluate((rows) => rows.scrollTo(0, 0))
    }
  },
  {
    name: "palette",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("Control+k")(page)
    }
  },
  {
    name: "palette-found",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("Control+k")(page)
      await page.keyboard.insertText("advance")
      await page.locator(".choice", { hasText: "Function advance" }).waitFor()
    }
  },
  {
    name: "console-tree",
    prepare: hunting,
    session,
    show: async (page) => {
      await inSource(page)
      await lower(page, "Console")
      await page.keyboard.press("Alt+1")
      await page.keyboard.insertText("items[1]")
      await page.keyboard.press("Enter")
      await page.locator(".answered .opener").click()
      await page.locator("#lower .row.value").first().waitFor()
    }
  },
  {
    name: "activity-kinds",
    prepare: hunting,
    session,
    show: async (page) => {
      await inSource(page)
      await panel(page, "Activity")
      await page.locator(".kindsButton").click()
      await page.locator(".kindsMenu").waitFor()
    }
  },
  {
    name: "keys",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("?")(page)
    }
  },
  {
    name: "find",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("/")(page)
      await page.keyboard.type("peak")
    }
  },
  {
    name: "breakpoint-edit",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("Shift+B")(page)
    }
  },
  {
    name: "zoom-400-crash",
    prepare: (stage) => void stage.agent("start", "./crash", ...named),
    session,
    show: inSource,
    formats: [{ width: 320, height: 200 }],
    options: { deviceScaleFactor: 4 }
  },
  { name: "forced-colors", prepare: hunting, session, show: dressed, options: { forcedColors: "active" } },
  {
    name: "forced-colors-past",
    prepare: hunting,
    session,
    show: async (page) => {
      await inSource(page)
      await key("[")(page)
      await state("Past stop")(page)
      await panel(page, "Activity")
    },
    options: { forcedColors: "active" }
  },
  {
    name: "forced-colors-crash",
    prepare: (stage) => void stage.agent("start", "./crash", ...named),
    session,
    show: inSource,
    options: { forcedColors: "active" }
  }
]
