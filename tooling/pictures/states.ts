/**
 * The states of the page that are drawn, each made with a real session or a real fault.
 */
import { session, named, state, key, inSource, taken, panel, lower, pidOf, stepping, type State } from "./StateSteps.ts"

/** The states but for those that show another one in grey. */
const coloured: ReadonlyArray<State> = [
  { name: "first-run", prepare: () => {} },
  {
    name: "sessions",
    prepare: (stage) => {
      for (const name of ["one", "two", "three", "four"])
        stage.agent("start", "./app", "--break", "app.c:14", "--session", name)
      stage.agent("start", "./crash", "--session", "five")
      stage.agent("start", "./loop", "--no-wait", "--session", "six")
    },
    show: (page) => page.getByText("six").first().waitFor()
  },
  {
    name: "starting",
    prepare: (stage) => void stage.agent("start", "./app", "--no-run", ...named),
    session,
    show: state("Starting")
  },
  {
    name: "running",
    prepare: (stage) => {
      stage.agent("start", "./loop", "--break", "loop.c:8", ...named)
      stage.agent("breakpoint", "remove", "all", ...named)
      stage.agent("continue", "--no-wait", ...named)
    },
    session,
    show: state("Running")
  },
  { name: "stopped", prepare: stepping, session, show: inSource },
  {
    name: "stopped-threads",
    prepare: (stage) => void stage.agent("start", "./threads", "--break", "threads.c:27", ...named),
    session,
    show: inSource
  },
  {
    name: "stopped-python",
    prepare: (stage) => void stage.agent("start", "app.py", "--break", "app.py:13", ...named),
    session,
    show: inSource
  },
  {
    name: "long-session",
    prepare: (stage) => {
      stage.agent("start", "./collatz", "--break", "collatz.c:12", ...named)
      for (let count = 0; count < 64; count++) stage.agent("continue", ...named)
    },
    session,
    show: inSource
  },
  {
    name: "past-stop",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await key("[", "[")(page)
      await state("Past stop")(page)
    }
  },
  {
    name: "value-history",
    prepare: (stage) => {
      stage.agent("start", "./app", "--break", "app.c:14", ...named)
      for (let step = 0; step < 4; step++) stage.agent("next", ...named)
    },
    session,
    show: async (page) => {
      await inSource(page)
      await panel(page, "Values")
      await page.getByRole("button", { name: "total at every stop" }).first().click()
    }
  },
  { name: "crash", prepare: (stage) => void stage.agent("start", "./crash", ...named), session, show: inSource },
  {
    name: "exception",
    prepare: (stage) => void stage.agent("start", "app.py", ...named, "--", "raise"),
    session,
    show: inSource
  },
  {
    name: "ended",
    prepare: (stage) => {
      stage.agent("start", "./app", "--break", "app.c:14", ...named)
      stage.agent("breakpoint", "remove", "all", ...named)
      stage.agent("continue", ...named)
    },
    session,
    show: async (page) => {
      await state("Ended")(page)
      await inSource(page)
    }
  },
  {
    name: "ask-me",
    prepare: stepping,
    session,
    show: inSource,
    // A call asks only while a person is there: the page.
    after: (stage) => {
      const token = stage.person("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
      const address = new URL(stage.person("web", "--print").trim())
      void fetch(new URL("/v1/eval", address), {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ session, expression: "p->n = 1" })
      }).catch(() => undefined)
    },
    afterFault: async (page) => {
      await panel(page, "Activity")
      await page.locator(".askCard").first().waitFor()
    }
  },
  {
    name: "taken-over",
    prepare: stepping,
    session,
    show: async (page) => {
      await inSource(page)
      await taken(page)
    }
  },
  {
    name: "refused",
    prepare: stepping,
    session,
    show: async (page, stage) => {
      await inSource(page)
      await taken(page)
      stage.agent("continue", ...named)
      await panel(page, "Activity")
      await page.locator(".row.activity.refused").first().waitFor()
    }
  },
  {
    name: "follow-off",
    prepare: stepping,
    session,
    show: async (page, stage) => {
      await inSource(page)
      const follow = page.locator(".switch").first()
      // A narrow window has no switch.
      if (!(await follow.isVisible())) return
      await follow.click()
      stage.agent("next", ...named)
      await page.locator(".unseen").first().waitFor()
    }
  },
  {
    name: "connection-lost",
    prepare: stepping,
    session,
    show: inSource,
    after: (stage) => stage.endDaemon(),
    afterFault: async (page) => {
      await page.locator(".banner").waitFor()
    }
  },
  {
    name: "debugger-failed",
    prepare: stepping,
    session,
    show: inSource,
    after: (stage) => stage.endDebugger(pidOf(stage)),
    afterFault: state("Ended")
  },
  {
    name: "not-responding",
    prepare: stepping,
    session,
    show: inSource,
    after: (stage) => stage.holdDebugger(pidOf(stage)),
    afterFault: async (page) => {
      await page.keyboard.press("F10")
      await state("Not responding")(page)
    }
  },
  {
    name: "source-not-found",
    prepare: (stage) => void stage.agent("start", "./elsewhere", "--break", "sum_scores", ...named),
    session,
    show: async (page) => {
      await page.getByRole("button", { name: "Map a path…" }).click()
      await page.getByLabel("On this machine").waitFor()
    }
  },
  {
    name: "not-allowed",
    prepare: stepping,
    session,
    allow: "control",
    show: async (page) => {
      await inSource(page)
      await key("Shift+B")(page)
      await page.keyboard.type("p->n == 1")
      await page.keyboard.press("Enter")
      await page.locator(".notice").first().waitFor()
    }
  },
  {
    name: "no-source",
    prepare: (stage) => {
      stage.agent("start", "./app", "--break", "app.c:14", ...named)
      stage.agent("break", "write", ...named)
      stage.agent("breakpoint", "remove", "1", ...named)
      stage.agent("continue", ...named)
    },
    session,
    show: async (page) => {
      await state("Stopped")(page)
      await page.locator("#source .card").first().waitFor()
    }
  },
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
    prepare: stepping,
    session,
    show: inSource,
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
      await page.locator(".answered").first().waitFor()
    }
  },
  {
    name: "long-output-with-gap",
    prepare: (stage) => {
      stage.agent("start", "./flood", "--break", "flood.c:7", ...named, "--", "24")
    },
    session,
    show: async (page) => {
      await lower(page, "Output")
      await page.waitForTimeout(500)
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
  { name: "forced-colors", prepare: stepping, session, show: inSource, options: { forcedColors: "active" } }
]

/** All states, in the order of the contact sheet. */
export const states: ReadonlyArray<State> = [
  ...coloured,
  ...["stopped", "running", "crash"].map((name): State => {
    const shown = coloured.find((one) => one.name === name)
    return {
      name: `grey-${name}`,
      prepare: shown?.prepare ?? stepping,
      session,
      show: async (page, stage) => {
        await shown?.show?.(page, stage)
        await page.evaluate("document.documentElement.style.filter = 'grayscale(1)'")
      }
    }
  })
]
