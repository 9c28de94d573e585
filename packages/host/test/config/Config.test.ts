// The configuration of a caller: the order of the layers, trust in the project's file, mistakes.
import { assert, describe, it } from "@effect/vitest"
import { Config } from "@sigtrap/host"
import { Settings } from "@sigtrap/protocol"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { directory } from "../../src/testing/Children.ts"

const place = Effect.map(directory, (home) => {
  const project = join(home, "project", "deep")
  mkdirSync(project, { recursive: true })
  return { directory: project, environment: { HOME: home }, own: join(home, ".config/sigtrap/config.toml") }
})

const put = (file: string, text: string) => Config.save(file, text)

/** Returns the values with their origins, or the error message. */
const said = (where: Config.Place): Effect.Effect<unknown> =>
  Effect.match(Config.resolve(where), {
    onFailure: (error) => error.message,
    onSuccess: ({ items }) =>
      Object.fromEntries(items.map(({ key, origin, value }) => [key, `${String(value)} ${origin}`]))
  })

const projectOf = (where: Config.Place) =>
  Effect.map(Config.projectFile(where.directory), (found) => {
    assert.isDefined(found)
    return found ?? { file: "", text: "" }
  })

describe("the configuration", () => {
  it.effect("is the user's file, overridden by the trusted project's file and by the environment", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      assert.deepStrictEqual(yield* said(where), {})
      yield* put(own, "[output]\nlines = 2\ncontext = 'line'\n[timeouts]\nwait = '1m'\n")
      writeFileSync(join(where.directory, "..", ".sigtrap.toml"), "output.lines = 3\noutput.context = 'full'\n")
      yield* Config.trust(yield* projectOf(where), where)
      const environment = { ...where.environment, SIGTRAP_CONTEXT: "none", SIGTRAP_BUDGET: "" }
      assert.deepStrictEqual(yield* said({ ...where, environment }), {
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
      assert.deepStrictEqual(yield* said(where), {})
      yield* Config.trust(yield* projectOf(where), where)
      assert.deepStrictEqual(yield* said(where), { "adapters.lldb-dap.path": "/tmp/evil project" })
      writeFileSync(file, "adapters.lldb-dap.path = '/tmp/worse'\n")
      assert.deepStrictEqual(yield* said(where), {}, "a change asks again")
      yield* Config.trust(yield* projectOf(where), where)
      yield* Config.trust(yield* projectOf(where), where, false)
      assert.deepStrictEqual(yield* said(where), {}, "trust can be taken back")
    })
  )

  it.effect("marks the programs that the project's file chooses, and those only", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      const file = join(where.directory, ".sigtrap.toml")
      yield* put(own, "[adapters.mine]\ncommand = 'node'\nlaunch = { a = 1 }\n[adapters.both]\ncommand = '/opt/a'\n")
      const marked = () => Effect.map(Config.resolve(where), ({ values }) => Settings.project(values))
      assert.isUndefined(yield* marked())
      writeFileSync(
        file,
        [
          "defaults.adapter = './dap'",
          "output.lines = 3",
          "[adapters.mine]",
          "extensions = ['.x']",
          "args = ['--all']",
          "[adapters.both]",
          "command = '${folder}/dap'",
          "env.LANG = 'C'"
        ].join("\n")
      )
      assert.isUndefined(yield* marked(), "it is ignored until it is trusted")
      yield* Config.trust(yield* projectOf(where), where)
      assert.deepStrictEqual(yield* marked(), {
        file,
        keys: ["defaults.adapter", "adapters.mine.args", "adapters.both.command", "adapters.both.env.LANG"]
      })
      const { values } = yield* Config.resolve(where)
      assert.strictEqual(values["adapters.both.command"], join(where.directory, "dap"))
      assert.deepStrictEqual(Settings.project(Settings.ofSession(values))?.file, file, "sessions keep the mark")
      yield* put(own, "project.file = '/x'\n")
      assert.include(String(yield* said(where)), "no key project.file", "no file can have the mark")
    })
  )

  it.effect("takes the description of an adapter from one file as a whole", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      yield* put(own, "[adapters.mine]\ncommand = 'node'\nlaunch = { a = 1 }\n")
      writeFileSync(join(where.directory, ".sigtrap.toml"), "adapters.mine.command = 'ruby'\n")
      yield* Config.trust(yield* projectOf(where), where)
      assert.deepStrictEqual(yield* said(where), { "adapters.mine.command": "ruby project" })
      yield* put(own, "[adapters.mine]\nlanguages = ['Mine']\n")
      assert.include(
        String(yield* said(where)),
        `${own}: line 2: adapters.mine.languages: set adapters.mine.command too`
      )
    })
  )

  it.effect("reports the file and the mistake, but not for an ignored file", () =>
    Effect.gen(function* () {
      const { own, ...where } = yield* place
      writeFileSync(join(where.directory, ".sigtrap.toml"), "nonsense")
      assert.deepStrictEqual(yield* said(where), {})
      yield* put(own, "[timeouts]\nwiat = 1\n")
      assert.include(String(yield* said(where)), `${own}: line 2: no key timeouts.wiat; nearest: timeouts.wait`)
    })
  )

  it.effect("names the variable with an invalid value", () =>
    Effect.gen(function* () {
      const { own: _, ...where } = yield* place
      const environment = { ...where.environment, SIGTRAP_BUDGET: "much" }
      assert.include(String(yield* said({ ...where, environment })), "SIGTRAP_BUDGET: write a whole number")
    })
  )

  const planted: { readonly [kind: string]: readonly [make: (file: string) => void, problem: string] } = {
    "a named pipe": [(file) => void execFileSync("mkfifo", ["-m", "666", file]), "it is a named pipe"],
    "a link to /dev/zero": [(file) => symlinkSync("/dev/zero", file), "it is a symbolic link"],
    "a directory": [(file) => mkdirSync(file), "it is a directory"],
    "a cycle of links": [(file) => symlinkSync(file, file), "it is a symbolic link"],
    "a file of 2 MiB": [(file) => writeFileSync(file, "#".repeat(2 * 1024 * 1024)), "it is larger than 1 MiB"]
  }
  for (const [kind, [make, problem]] of Object.entries(planted)) {
    it.live(`does not wait for ${kind} in a folder above, and says that it was ignored`, () =>
      Effect.gen(function* () {
        const { own, ...where } = yield* place
        const file = join(where.directory, "..", ".sigtrap.toml")
        make(file)
        const { project } = yield* Config.resolve(where)
        assert.strictEqual(project?.file, file)
        assert.isFalse(project?.trusted)
        assert.include(project?.problem, problem)
        assert.strictEqual((yield* Effect.flip(Config.projectFile(where.directory))).file, file)
        // The user's own file, with the same content.
        mkdirSync(join(own, ".."), { recursive: true })
        make(own)
        assert.include(String(yield* said(where)), own)
        // A link is followed there, so the cycle and the device are found behind it.
        assert.notInclude(String(yield* said(where)), "it is a symbolic link")
      })
    )
  }

  it.live("ignores what lies above a folder of another user (needs root to give a folder away)", () =>
    Effect.gen(function* () {
      if (process.getuid?.() !== 0) return
      const { own: _, ...where } = yield* place
      const above = join(where.directory, "..", "..", ".sigtrap.toml")
      writeFileSync(above, "output.lines = 3\n")
      yield* Config.trust(yield* projectOf(where), where)
      assert.deepStrictEqual(yield* said(where), { "output.lines": "3 project" })
      const folder = join(where.directory, "..")
      chownSync(folder, 65534, 65534)
      assert.deepStrictEqual(yield* said(where), {}, "the folder between belongs to another user")
      // A checkout of another user is used by root once the user trusts its file.
      const file = join(folder, ".sigtrap.toml")
      writeFileSync(file, "output.lines = 4\n")
      chownSync(file, 65534, 65534)
      const found = yield* Config.resolve(where)
      assert.deepStrictEqual(found.project, { file, trusted: false })
      yield* Config.trust(yield* projectOf(where), where)
      assert.deepStrictEqual(yield* said(where), { "output.lines": "4 project" })
      rmSync(above)
    })
  )

  it.live("reads a file of another user only if the caller names it (needs root to give a file away)", () =>
    Effect.gen(function* () {
      if (process.getuid?.() !== 0) return
      const { own, ...where } = yield* place
      yield* put(own, "output.lines = 2\n")
      chownSync(own, 65534, 65534)
      assert.include(String(yield* said(where)), "it belongs to another user")
      assert.deepStrictEqual(yield* said({ ...where, file: own }), { "output.lines": "2 user" })
    })
  )
})
