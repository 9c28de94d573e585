/**
 * The states of the page that are drawn, each made with a real session or a real fault.
 */
import { faultStates } from "./faultStates.ts"
import { panelStates } from "./panelStates.ts"
import {
  type State,
  dressed,
  hunting,
  inSource,
  key,
  named,
  panel,
  session,
  state,
  stepping,
  taken
} from "./StateSteps.ts"

/** The states of a program: from the first run to its end. */
const programStates: ReadonlyArray<State> = [
  {
    name: "first-run",
    prepare: () => {},
    show: (page) => page.getByText("found.").waitFor()
  },
  {
    name: "awaited-session",
    prepare: () => {},
    session,
    show: (page) => page.getByText("There is no session app").waitFor()
  },
  {
    name: "debuggers",
    prepare: () => {},
    show: async (page) => {
      await page.getByRole("button", { name: "Check everything" }).click()
      await page.locator(".debuggers li").first().waitFor()
    }
  },
  {
    name: "start-program",
    prepare: () => {},
    allow: "admin",
    show: async (page) => {
      await page.getByRole("button", { name: "Start a program" }).click()
      await page.getByLabel("Program", { exact: true }).fill("/home/me/app")
      await page.getByLabel("Stop at", { exact: true }).fill("app.c:14")
    }
  },
  {
    name: "link-used",
    prepare: () => {},
    show: async (page) => {
      // The page stores the token of its own link before it shows this.
      await page.getByText("No program is being debugged").waitFor()
      await page.evaluate("sessionStorage.clear()")
      await page.goto(`${new URL("/", page.url()).href}#code=${"0".repeat(32)}`)
      await page.getByText("This link was used already.").waitFor()
    }
  },
  {
    name: "sessions",
    prepare: (stage) => {
      for (const name of ["one", "two", "three", "four"])
        stage.agent("start", "./app", "--break", "app.c:14", "--session", name)
      stage.agent("start", "./crash", "--session", "five")
      stage.agent("start", "./app", "--session", "seven")
      stage.person("control", "take", "--session", "one")
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
    show: async (page) => {
      await state("Running")(page)
      await page.locator(".line.kept").first().waitFor()
    }
  },
  { name: "stopped", prepare: hunting, session, show: dressed },
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
    show: async (page, stage) => {
      await inSource(page)
      await panel(page, "Values")
      await page.locator(".row.value .opener").first().click()
      // What is inside is compared with the stop before, once it was read there.
      await page.locator(".row.value .name", { hasText: /^peak$/ }).waitFor()
      stage.agent("continue", ...named)
      await page.locator(".row.value .was").first().waitFor()
    }
  },
  {
    name: "past-stop",
    prepare: hunting,
    session,
    show: async (page) => {
      await dressed(page)
      await key("[", "[", "[")(page)
      await state("Past stop 2")(page)
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
    name: "crash-explained",
    prepare: (stage) => void stage.agent("start", "./crash", ...named),
    session,
    show: async (page) => {
      await inSource(page)
      await page.getByRole("button", { name: "Explain", exact: true }).click()
      await page.locator(".explanation").waitFor()
    }
  },
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
    prepare: hunting,
    session,
    show: dressed,
    // A call asks only while a person is there: the page.
    after: (stage) => {
      const token = stage.person("grant", "--tier", "observe,control", "--ask", "evaluate", "--print").trim()
      const address = new URL(stage.person("web", "--print").trim())
      void fetch(new URL("/v1/eval", address), {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ session, expression: "(int)fflush((void *)stdout)" })
      }).catch(() => undefined)
    },
    afterFault: async (page) => {
      await panel(page, "Activity")
      await page.locator(".askCard").first().waitFor()
    }
  },
  {
    name: "taken-over",
    prepare: hunting,
    session,
    show: async (page) => {
      await inSource(page)
      await taken(page)
    }
  },
  {
    name: "refused",
    prepare: hunting,
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
    prepare: (stage) => {
      stage.agent("start", "./threads", "--break", "threads.c:27", ...named)
      stage.agent("break", "threads.c:53", ...named)
    },
    session,
    show: async (page, stage) => {
      stage.agent("breakpoint", "enable", "1", ...named)
      stage.agent("restart", ...named)
      await page.locator(".line.current .number", { hasText: "27" }).waitFor()
      const follow = page.locator(".switch").first()
      // A narrow window has no switch: it is in the menu.
      if (await follow.isVisible()) await follow.click()
      else {
        await page.locator(".menuButton").click()
        await page.getByRole("button", { name: "Do not follow stops" }).click()
      }
      stage.agent("breakpoint", "disable", "1", ...named)
      stage.agent("continue", ...named)
      await page.locator(".unseen").first().waitFor()
    }
  }
]

/** The states but for those that show another one in grey. */
const coloured: ReadonlyArray<State> = [...programStates, ...faultStates, ...panelStates]

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
