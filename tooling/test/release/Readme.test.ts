import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as MarkdownLinks from "../../src/markdownLinks.ts"
import * as Pack from "../../release/Pack.ts"
import * as Readme from "../../release/Readme.ts"

const text = [
  "See [the `start` guide](../../docs/guide/start.md#the-prompt), [guides](../../docs/guide/README.md),",
  "[app.c](../../tooling/fixtures/c/app.c), [Effect](https://effect.website) and [above](#above).",
  "",
  "```ts",
  'import x from "[a](../../b.md)"',
  "```"
].join("\n")

const linksOf = (places: Readme.Places) =>
  MarkdownLinks.of(Readme.published(text, "packages/dap", places)).map(({ target }) => target)

describe("the README of a published package", () => {
  it("links to the site if it is known, else to the repository's page", () => {
    const files = "https://host.example/o/n/blob/v1.2.3"
    assert.deepStrictEqual(linksOf({ site: "https://docs.example", files }), [
      "https://docs.example/guide/start#the-prompt",
      "https://docs.example/guide/",
      `${files}/tooling/fixtures/c/app.c`,
      "https://effect.website",
      "#above"
    ])
    assert.strictEqual(linksOf({ files })[0], `${files}/docs/guide/start.md#the-prompt`)
  })

  it("names files without a link if no address is known", () => {
    const result = Readme.published(text, "packages/dap", {})
    assert.include(
      result,
      "See the `start` guide (docs/guide/start.md in the repository), guides (docs/guide/README.md in the repository),"
    )
    assert.include(result, "[Effect](https://effect.website) and [above](#above)")
    assert.include(result, 'import x from "[a](../../b.md)"')
    assert.strictEqual(Readme.published("[`docs/a.md`](../docs/a.md)", "x", {}), "`docs/a.md` in the repository")
    assert.strictEqual(
      Readme.published("[docs/guide](../docs/guide/README.md)", "x", {}),
      "docs/guide in the repository"
    )
  })

  it.each(Pack.workspaces().map(({ directory }) => directory))(
    "of %s has no link that leaves the package",
    (directory) => {
      const readme = readFileSync(join(Pack.root, directory, "README.md"), "utf8")
      for (const places of [{}, { site: "https://docs.example" }]) {
        const targets = MarkdownLinks.of(Readme.published(readme, directory, places)).map(({ target }) => target)
        assert.deepStrictEqual(
          targets.filter((target) => !MarkdownLinks.isAddress(target) && !target.startsWith("#")),
          []
        )
      }
    }
  )
})
