/**
 * The states of the page in which something failed: the connection, the debugger, a source, a right.
 */
import { type State, dressed, hunting, inSource, key, named, pidOf, session, state, stepping } from "./StateSteps.ts"

/** The states after a fault. */
export const faultStates: ReadonlyArray<State> = [
  {
    name: "connection-lost",
    prepare: hunting,
    session,
    show: dressed,
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
      // One request is enough for all pages.
      if ((await page.locator("#state").innerText()).includes("Stopped")) await page.keyboard.press("F10")
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
  }
]
