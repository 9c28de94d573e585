/** Fixtures of other languages than C, and the adapters that debug them. */
import { assert } from "@effect/vitest"
import { Registry } from "@sigtrap/backends"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The path of a fixture. */
export const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

/** The number of the line that a fixture marks. */
export const marked = (name: string, mark: string) => {
  const index = readFileSync(fixture(name), "utf8")
    .split("\n")
    .findIndex((line) => line.endsWith(`mark: ${mark}`))
  assert(index >= 0, `${name} has no mark ${mark}`)
  return index + 1
}

/** The caller's environment, as far as a search for adapters needs it. */
export const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" })

/** Fails unless an adapter can be used on this machine, with what is missing. */
export const needs = Effect.fnUntraced(function* (name: string, packages: string) {
  const found = (yield* Registry.discover(environment())).filter((one) => one.name === name)
  assert(
    found.some((one) => one.path !== undefined && one.problem === undefined),
    `${name} is needed for these tests (on Debian: apt-get install ${packages}); found ${JSON.stringify(found)}`
  )
})
