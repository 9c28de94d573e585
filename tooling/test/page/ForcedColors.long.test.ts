// Forced colours in a real browser: also signs and drawings, which the browser does not colour itself, have colours of the system.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isPresent } from "../support/tools.ts"
import * as Chromium from "./browser.ts"
import { press, shows } from "./pageTests.ts"

describe.runIf(isPresent(Chromium.program, {}))("the page in forced colours", () => {
  it.live(
    "has no colour of its own",
    () =>
      Effect.gen(function* () {
        const { compile, sigtrap } = yield* Chromium.machine
        compile("app")
        sigtrap("start", "./app", "--break", "app.c:14", "--session", "app", "--as", "claude")
        for (const command of ["next", "continue", "next"]) sigtrap(command, "--session", "app", "--as", "claude")
        sigtrap("break", "app.c:16", "--if", "total != 61", "--session", "app")
        const opened = yield* Chromium.browser
        for (const colorScheme of ["light", "dark"] as const) {
          const url = sigtrap("web", "--print", "--session", "app").trim()
          const { page } = yield* Chromium.open(opened, url, { forcedColors: "active", colorScheme })
          yield* shows(page, ".row.activity", "set breakpoint 2")
          yield* Effect.promise(() => page.locator("#variables .pastLine circle").first().waitFor())
          const found = yield* Effect.promise(() =>
            page.evaluate(() => {
              const ruler = document.createElement("p")
              document.body.append(ruler)
              const allowed = [
                "CanvasText",
                "Canvas",
                "ButtonText",
                "ButtonFace",
                "GrayText",
                "Highlight",
                "HighlightText"
              ].map((name) => {
                ruler.setAttribute("style", "")
                ruler.style.setProperty("color", name)
                return getComputedStyle(ruler).color
              })
              ruler.remove()
              const wrong = new Set<string>()
              const check = (what: string, colour: string) => {
                if (colour !== "none" && !colour.endsWith(", 0)") && !allowed.includes(colour))
                  wrong.add(`${what} ${colour}`)
              }
              for (const element of document.querySelectorAll(".shape, .sign, .tick, .pastLine *, .icon *")) {
                const name = element.closest("[class]")?.getAttribute("class") ?? element.tagName
                if (element instanceof SVGElement) {
                  check(`fill of ${name}`, getComputedStyle(element).fill)
                  check(`stroke of ${name}`, getComputedStyle(element).stroke)
                  continue
                }
                for (const part of [undefined, "::after"]) {
                  const style = getComputedStyle(element, part)
                  if (part !== undefined && style.content === "none") continue
                  check(`background of ${name}`, style.backgroundColor)
                  if (style.borderTopWidth !== "0px") check(`border of ${name}`, style.borderTopColor)
                }
              }
              return [...wrong]
            })
          )
          assert.deepStrictEqual(found, [], colorScheme)
          // The current line and its values, which are below it in a narrow window, have one box.
          const edges = () =>
            Effect.promise(() =>
              page.locator(".line.current").evaluateAll((lines) =>
                lines.map((line) => {
                  const { borderBottomWidth, borderTopWidth } = getComputedStyle(line, "::after")
                  return [borderTopWidth, borderBottomWidth].join()
                })
              )
            )
          yield* Effect.promise(() => page.locator(".line.current").waitFor())
          assert.deepStrictEqual(yield* edges(), ["2px,2px"], colorScheme)
          yield* Effect.promise(() => page.setViewportSize({ width: 768, height: 800 }))
          yield* Effect.promise(() => page.locator(".valuesBelow").waitFor())
          assert.deepStrictEqual(yield* edges(), ["2px,0px", "0px,2px"], colorScheme)
          yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 800 }))
          yield* Effect.promise(() => page.locator(".valuesBelow").waitFor({ state: "detached" }))
          // The note of a line without an outline covers its text up to the edge.
          const clip = yield* Effect.promise(() =>
            page
              .locator(".line.caller .frameNote")
              .first()
              .evaluate((note) => getComputedStyle(note).clipPath)
          )
          assert.strictEqual(clip, "none", colorScheme)
          // A button that can be pressed differs from one that cannot.
          const colourOf = (name: string) =>
            Effect.promise(() =>
              page
                .getByRole("button", { name })
                .first()
                .evaluate((button) => getComputedStyle(button).color)
            )
          const enabled = yield* colourOf("Over")
          yield* Effect.promise(() => page.locator("#source .lines").focus())
          yield* press(page, "[")
          yield* shows(page, "#state", "Past stop 3")
          assert.notStrictEqual(yield* colourOf("Over"), enabled, colorScheme)
          yield* Effect.promise(() => page.context().close())
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
