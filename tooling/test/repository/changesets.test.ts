// Changesets name a package and a group, and a library's changelog speaks of nothing that the library does not have.
import { assert, describe, it } from "@effect/vitest"
import { Operations } from "@sigtrap/protocol"
import { join } from "node:path"
import * as Changelog from "../../changelog.mjs"
import { json, none, packages, root } from "./sources.ts"

const libraries = new Set(packages.map((folder) => json(`${folder}/package.json`).name))
const commands = new Set(Operations.all.map(({ _tag }) => _tag.replaceAll(".", " ")))

/** Returns the code in a text that is a command or an option of one. */
const commandsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) =>
    /^(?:sigtrap |--)/.test(code) || commands.has(code) ? [code] : []
  )

const problems = ({ bumps, name, text }: Changelog.Changeset): ReadonlyArray<string> => {
  const names = [...bumps.keys()]
  if (names.length === 1 && names[0] === "sigtrap") return []
  const unknown = names.filter((one) => !libraries.has(one))
  if (unknown.length > 0) {
    return [`${name}: it names ${unknown.join(", ")}; name "sigtrap", or the libraries whose exports it changes`]
  }
  const found = commandsIn(text)
  return found.length === 0 ? [] : [`${name}: a library has no command ${found.join(", ")}; name "sigtrap" instead`]
}

describe("changesets", () => {
  it("name sigtrap, or libraries in the words of their exports", () => {
    none(Changelog.all(join(root, ".changeset")).flatMap(problems))
  })

  it("only add before the first release, which has nothing to change or to fix", () => {
    if (json("apps/cli/package.json").version !== "0.0.0") return
    const others = Changelog.all(join(root, ".changeset")).filter(({ group }) => group !== "added")
    none(others.map(({ name }) => `${name}: edit the changeset of the feature instead`))
  })

  it("that speak of commands in a library, or of apps beside sigtrap, are found", () => {
    const changeset = (front: string, text: string) => Changelog.read("x.md", `---\n${front}\n---\n\n${text}\n`)
    const wrong = (front: string, text: string) => problems(changeset(front, text)).length
    assert.strictEqual(wrong('"@sigtrap/dap": patch', "`Client.make` fails."), 0)
    assert.strictEqual(wrong('"sigtrap": patch', "`start --break` fails."), 0)
    for (const [front, text] of [
      ['"@sigtrap/dap": patch', "`sigtrap start` fails."],
      ['"@sigtrap/dap": patch', "`--break` fails."],
      ['"@sigtrap/dap": patch', "`breakpoint list` fails."],
      ['"@sigtrap/mcp": patch', "A tool fails."],
      ['"sigtrap": patch\n"@sigtrap/dap": patch', "`Client.make` fails."]
    ] as const) {
      assert.strictEqual(wrong(front, text), 1, text)
    }
  })
})

describe("a changelog", () => {
  const changesets = [
    ['"sigtrap": minor', "`a` is new.\n\nIt has two parts."],
    ['"sigtrap": patch', "`b` works."],
    ['"sigtrap": patch', "changed: `c` is faster."],
    ['"@sigtrap/dap": patch', "removed: `D` is gone."]
  ].map(([front, text]) => Changelog.read("x.md", `---\n${front}\n---\n\n${text}\n`))

  it("has its entries in groups, with the paragraphs of each", () => {
    assert.strictEqual(
      Changelog.section("sigtrap", "1.2.0", changesets),
      "## 1.2.0\n\n### Added\n\n- `a` is new.\n\n  It has two parts.\n\n### Changed\n\n- `c` is faster.\n\n### Fixed\n\n- `b` works."
    )
    assert.strictEqual(
      Changelog.section("@sigtrap/dap", "1.2.0", changesets),
      "## 1.2.0\n\n### Removed\n\n- `D` is gone."
    )
    assert.match(Changelog.section("@sigtrap/text", "1.2.0", changesets), /No changes of its own/)
  })

  it("keeps earlier versions below the newest", () => {
    const first = Changelog.extended("sigtrap", "## 1.0.0\n\nA.", undefined)
    assert.strictEqual(first, "# sigtrap\n\n## 1.0.0\n\nA.\n")
    assert.strictEqual(
      Changelog.extended("sigtrap", "## 1.1.0\n\nB.", first),
      "# sigtrap\n\n## 1.1.0\n\nB.\n\n## 1.0.0\n\nA.\n"
    )
  })

  it("has a part for each version", () => {
    const text = "# sigtrap\n\n## 1.10.0\n\nB.\n\n### Added\n\n- C\n\n## 1.1.0\n\nA.\n"
    assert.strictEqual(Changelog.part(text, "1.10.0"), "B.\n\n### Added\n\n- C")
    assert.strictEqual(Changelog.part(text, "1.1.0"), "A.")
    assert.strictEqual(Changelog.part(text, "1.0.0"), "")
  })

  it("is not made of a changeset without text, or with a bump that does not exist", () => {
    assert.throws(() => Changelog.read("x.md", '---\n"sigtrap": patch\n---\n\n'), /x\.md: it has no text/)
    assert.throws(() => Changelog.read("x.md", '---\n"sigtrap": huge\n---\n\nText\n'), /is not "PACKAGE": BUMP/)
  })
})
