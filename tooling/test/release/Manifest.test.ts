import { assert, describe, it } from "@effect/vitest"
import * as Manifest from "../../release/Manifest.ts"

const shared: Manifest.Shared = { version: "1.2.3", catalog: { effect: "4.1.0" }, executables: [] }

const workspace: Manifest.Manifest = {
  name: "@sigtrap/x",
  version: "0.0.0",
  exports: {
    ".": { "@sigtrap/source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./inner": { "@sigtrap/source": "./src/inner.ts" }
  },
  scripts: { build: "tsc" },
  dependencies: { "@sigtrap/y": "workspace:^", effect: "catalog:", yaml: "2.9.1" },
  devDependencies: { vitest: "catalog:" }
}

describe("the manifest of a published package", () => {
  it("has versions that npm understands, and nothing of the repository", () => {
    assert.deepStrictEqual(Manifest.published(workspace, "packages/x", shared), {
      name: "@sigtrap/x",
      version: "1.2.3",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
      dependencies: { "@sigtrap/y": "1.2.3", effect: "4.1.0", yaml: "2.9.1" },
      publishConfig: { access: "public" }
    })
  })

  it("names its folder in the repository if the root has one", () => {
    const repository = { type: "git", url: "git+ssh://host.example/sigtrap.git" }
    assert.deepStrictEqual(Manifest.published(workspace, "packages/x", { ...shared, repository })["repository"], {
      ...repository,
      directory: "packages/x"
    })
  })

  it("has the address of the site if the root has one", () => {
    const homepage = "https://docs.example/"
    assert.strictEqual(Manifest.published(workspace, "packages/x", { ...shared, homepage })["homepage"], homepage)
  })

  it("refuses a version that the catalog does not have", () => {
    const unknown = { ...workspace, dependencies: { left: "catalog:" } }
    assert.throws(() => Manifest.published(unknown, "packages/x", shared), "the catalog has no left")
  })

  it("of a server needs exactly its version of sigtrap", () => {
    const thin = Manifest.thin(workspace, "apps/x", "sigtrap-x", shared)
    assert.deepStrictEqual(thin["dependencies"], { sigtrap: "1.2.3" })
    assert.deepStrictEqual(thin["bin"], { "sigtrap-x": "./sigtrap-x.js" })
    assert.isUndefined(thin["exports"])
  })
})
