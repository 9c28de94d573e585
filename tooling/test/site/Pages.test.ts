import { assert, describe, it } from "@effect/vitest"
import * as Configuration from "../../site/Configuration.ts"
import * as Pages from "../../site/Pages.ts"

describe("the page of a document", () => {
  it.each([
    ["docs/README.md", "index.md", ""],
    ["docs/guide/README.md", "guide/index.md", "guide/"],
    ["docs/guide/start.md", "guide/start.md", "guide/start"],
    ["SECURITY.md", "project/security.md", "project/security"],
    ["packages/dap/README.md", "packages/dap.md", "packages/dap"],
    ["examples/README.md", "examples.md", "examples"]
  ])("%s is %s", (path, page, address) => {
    assert.strictEqual(Pages.pageOf(path), page)
    assert.strictEqual(Pages.addressOf(page), address)
  })

  it.each(["CLAUDE.md", "tooling/fake-xcrun/README.md", "docs/decisions", "tooling/fixtures/c/app.c"])(
    "%s is none",
    (path) => assert.isUndefined(Pages.pageOf(path))
  )
})

describe("the links of a page", () => {
  const text =
    "[a](../../SECURITY.md#x) [b](README.md) [c](../decisions) [d](../../tooling/fixtures/c/app.c) [e](#y) [f](https://e.example)"

  it("lead to other pages, and to nothing else if no address of the files is known", () => {
    assert.strictEqual(
      Pages.written("docs/guide/start.md", text, undefined),
      "[a](../project/security.md#x) [b](./index.md) c d [e](#y) [f](https://e.example)"
    )
  })

  it("lead to the repository's files if their address is known", () => {
    const written = Pages.written("docs/guide/start.md", text, "https://host.example/files")
    assert.include(written, "[c](https://host.example/files/docs/decisions)")
    assert.include(written, "[d](https://host.example/files/tooling/fixtures/c/app.c)")
  })
})

describe("the bar at the side", () => {
  it("has the guides in the order of their list, then those that it does not name", () => {
    const documents = [
      { path: "docs/guide/README.md", text: "# Guides\n\n1. [B](b.md)\n2. [A](a.md#x), [B](b.md)\n" },
      { path: "docs/guide/a.md", text: "# The `A` guide\n" },
      { path: "docs/guide/b.md", text: "# B\n" },
      { path: "docs/guide/c.md", text: "# C\n" }
    ]
    const text = Configuration.text(documents, ["dap"])
    const titles = [...text.matchAll(/"text": "([^"]+)",\s+"link": "\/guide\/(\w*)"/g)].map(([, title]) => title)
    assert.deepStrictEqual(titles, ["Guides", "Guides", "B", "The A guide", "C"])
    assert.include(text, '"link": "/api/dap/"')
  })
})
