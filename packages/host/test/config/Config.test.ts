// The configuration of a caller: the order of the layers, trust in the project's file, mistakes.
import { assert, describe, it } from "@effect/vitest"
import { Config } from "@sigtrap/host"
import { Effect, Result } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { directory } from "../../src/testing/Children.ts"

const place = Effect.map(directory, (home) => {
  const project = join(home, "project", "deep")
  mkdirSync(project, { recursive: true })
  return { directory: project, environment: { HOME: home }, own: join(home, ".config/sigtrap/config.toml") }
})

const put = (file: string, text: string) => Config.save(file, text)

/** Returns the values with their origins, or the error message. */
const said = (where: Config.Place): unknown =>
  Result.match(Config.resolve(where), {
    onFailure: (error) => error.message,
    onSuccess: ({ items }) =>
      Object.fromEntries(items.map(({ key, origin, value }) => [key, `${String(value)} ${origin}`]))
  })

const projectOf = (where: Config.Place) => {
  const found = Config.projectFile(where.directory)
  assert.isDefined(found)
  return found ?? { file: "", text: "" }
}

describe("the configuration", () => {
  it.effect("is the user's file, overridden by the trusted project's file and by the environment", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      assert.deepStrictEqual(said(where), {})
      yield* put(own, "[output]\nlines = 2\ncontext = 'line'\n[timeouts]\nwait = '1m'\n")
      writeFileSync(join(where.directory, "..", ".sigtrap.toml"), "output.lines = 3\noutput.context = 'full'\n")
      yield* Config.trust(projectOf(where), where)
      const environment = { ...where.environment, SIGTRAP_CONTEXT: "none", SIGTRAP_BUDGET: "" }
      assert.deepStrictEqual(said({ ...where, environment }), {
        "output.lines": "3 project",
        "output.context": "none env",
        "timeouts.wait": "1m user"
      })
    })
  )

  it.effect("ignores a project's file until its content is trusted", () =>
    Effect.gen(function* () {
      const { own: _, ...where } = yield* place
      const file = join(where.directory, ".sigtrap.toml")
      writeFileSync(file, "adapters.lldb-dap.path = '/tmp/evil'\n")
      assert.deepStrictEqual(said(where), {})
      yield* Config.trust(projectOf(where), where)
      assert.deepStrictEqual(said(where), { "adapters.lldb-dap.path": "/tmp/evil project" })
      writeFileSync(file, "adapters.lldb-dap.path = '/tmp/worse'\n")
      assert.deepStrictEqual(said(where), {}, "a change asks again")
      yield* Config.trust(projectOf(where), where)
      yield* Config.trust(projectOf(where), where, false)
      assert.deepStrictEqual(said(where), {}, "trust can be taken back")
    })
  )

  it.effect("reports the file and the mistake, but not for an ignored file", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      writeFileSync(join(where.directory, ".sigtrap.toml"), "nonsense")
      assert.deepStrictEqual(said(where), {})
      yield* put(own, "[timeouts]\nwiat = 1\n")
      assert.include(String(said(where)), `${own}: line 2: no key timeouts.wiat; nearest: timeouts.wait`)
    })
  )

  it.effect("names the variable with an invalid value", () =>
    Effect.gen(function* () {
      const { own: _, ...where } = yield* place
      const environment = { ...where.environment, SIGTRAP_BUDGET: "much" }
      assert.include(String(said({ ...where, environment })), "SIGTRAP_BUDGET: write a whole number")
    })
  )
})
