// Builds the site. The build itself fails for a link that leads nowhere.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Pack from "../../release/Pack.ts"
import * as Pages from "../../site/Pages.ts"

const site = join(Pack.root, ".artifacts/site")

/** Returns the text of a page without its markup. */
const page = (path: string) => readFileSync(join(site, path), "utf8").replaceAll(/<[^>]*>/g, "")

describe("npm run docs", () => {
  beforeAll(() => {
    Pack.run("npm", ["run", "--silent", "docs"], Pack.root)
  }, 10 * 60_000)

  it("makes a page of each document", () => {
    const documents = globSync("docs/**/*.md", { cwd: Pack.root })
    assert.isAbove(documents.length, 40)
    for (const path of documents) {
      assert.isTrue(existsSync(join(site, (Pages.pageOf(path) ?? "").replace(/\.md$/, ".html"))), path)
    }
  })

  it("makes the reference of each package from its doc comments", () => {
    for (const name of globSync("packages/*", { cwd: Pack.root })) {
      assert.isTrue(existsSync(join(site, name.replace("packages/", "api/"), "index.html")), name)
    }
    assert.include(page("api/host/Sigtrap.html"), "The service of the operations as methods.")
    assert.include(page("guide/start.html"), "sigtrap start ./app --break sum_scores")
  })
})
