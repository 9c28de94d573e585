// Every relative link of a document leads to a file of the repository, and its anchor to a heading there.
import { assert, describe, it } from "@effect/vitest"
import { existsSync, statSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import * as MarkdownLinks from "../../src/markdownLinks.ts"
import { files, none, read, root } from "./sources.ts"

const documents = files.filter((path) => path.endsWith(".md"))

/** Returns why a link of a document is wrong; undefined if it is right. */
const problem = (path: string, text: string, target: string): string | undefined => {
  if (MarkdownLinks.isAddress(target)) return undefined
  const [file = "", anchor] = target.split("#")
  const place = resolve(root, dirname(path), file)
  if (relative(root, place).startsWith("..")) return `${path}: ${target} is outside the repository`
  if (file !== "" && !existsSync(place)) return `${path}: ${target} does not exist`
  if (anchor === undefined) return undefined
  if (file !== "" && !statSync(place).isFile()) return `${path}: ${target} is a folder, which has no headings`
  const headings = MarkdownLinks.anchors(file === "" ? text : read(relative(root, place)))
  return headings.has(anchor) ? undefined : `${path}: ${target} has no such heading`
}

describe("links of documents", () => {
  it("lead to files and headings that exist", () => {
    none(
      documents.flatMap((path) => {
        const text = read(path)
        return MarkdownLinks.of(text).flatMap(({ target }) => problem(path, text, target) ?? [])
      })
    )
  })

  it("that lead nowhere are found", () => {
    const wrong = (target: string) => problem("docs/README.md", "# A heading\n", target)
    assert.isUndefined(wrong("https://example.org/x#y"))
    assert.isUndefined(wrong("guide/start.md#the-prompt"))
    assert.isUndefined(wrong("#a-heading"))
    for (const [target, expected] of [
      ["guide/nothing.md", /does not exist/],
      ["guide/start.md#nothing", /has no such heading/],
      ["#nothing", /has no such heading/],
      ["guide#nothing", /is a folder/],
      ["../../../etc/passwd", /outside the repository/]
    ] as const) {
      assert.match(wrong(target) ?? "", expected, target)
    }
  })

  it("are read outside code only", () => {
    const text = "[a](b.md) `[c](d.md)` [`e`](f.md#g) ![h](i.png)\n\n```md\n[j](k.md)\n```\n\n[l](m.md)\n"
    assert.deepStrictEqual(
      MarkdownLinks.of(text).map(({ target }) => target),
      ["b.md", "f.md#g", "m.md"]
    )
    const rewritten = MarkdownLinks.replaced(text, ({ label }) => label)
    assert.strictEqual(rewritten, "a `[c](d.md)` `e` ![h](i.png)\n\n```md\n[j](k.md)\n```\n\nl\n")
  })

  it("have the anchors that GitHub makes", () => {
    const text = "# C++ & Rust\n## `a.b`, _c_\n## Twice\n## Twice\n```\n# code\n```\n## [Link](x.md): über\n"
    assert.deepStrictEqual([...MarkdownLinks.anchors(text)], ["c--rust", "ab-_c_", "twice", "twice-1", "link-über"])
  })
})
