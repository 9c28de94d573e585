import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { Errors, Operations } from "@sigtrap/protocol"
import { pages } from "../../src/reference.ts"

for (const [path, text] of Object.entries(pages())) {
  it(`${path} is what the generator makes`, () => {
    assert.strictEqual(
      readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"),
      text,
      "run: bun run reference"
    )
  })

  it(`${path} shows no value that is missing`, () => {
    assert.notMatch(text, /undefined|\[object|NaN/)
  })
}

it("every link between the pages has its heading", () => {
  const all = pages()
  for (const [path, text] of Object.entries(all)) {
    for (const [, file = "", anchor = ""] of text.matchAll(/\]\(([a-z]*(?:\.md)?)#([^)]+)\)/g)) {
      const target = file === "" ? text : all[`docs/reference/${file}`]
      const headings = [...(target ?? "").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) =>
        heading.toLowerCase().replaceAll(" ", "-")
      )
      assert.include(headings, anchor, `${path}: ${file}#${anchor}`)
    }
  }
})

it("the pages have every operation and every error", () => {
  const { "docs/reference/operations.md": operations = "", "docs/reference/errors.md": errors = "" } = pages()
  for (const { _tag } of Operations.all) assert.include(operations, `\n## ${_tag.replaceAll(".", " ")}\n`)
  for (const error of Errors.all) assert.include(errors, `\n## ${Errors.meta({ _tag: error.identifier }).code}\n`)
})
