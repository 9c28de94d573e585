// Publishes tarballs with a program in place of npm, which keeps what it has published in a folder.
import { assert, describe, it } from "@effect/vitest"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import * as Bill from "../../release/Bill.ts"
import * as Pack from "../../release/Pack.ts"

/** Publishing runs on Node, whatever runs the tests. */
const node = join(Pack.root, "node_modules/.bin/node")

/** Answers `npm view` and `npm publish` from files in `FAKE_REGISTRY`; the name of a file is that of a package with its version. */
const npm = `#!${node}
const { createHash } = require("node:crypto")
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs")
const { execFileSync } = require("node:child_process")
const [command, subject, ...rest] = process.argv.slice(2)
const at = (id) => process.env.FAKE_REGISTRY + "/" + id.replace("/", "+")
appendFileSync(at("calls"), [command, subject.split("/").at(-1), ...rest].join(" ") + "\\n")
if (command === "view") {
  if (existsSync(at("broken"))) process.exit(2)
  if (!existsSync(at(subject))) {
    process.stdout.write('{"error":{"code":"E404"}}')
    process.exit(1)
  }
  process.stdout.write(JSON.stringify(readFileSync(at(subject), "utf8")))
} else {
  const { name, version } = JSON.parse(execFileSync("tar", ["-xOzf", subject, "package/package.json"], { encoding: "utf8" }))
  if (name === process.env.FAKE_REFUSED) process.exit(1)
  writeFileSync(at(name + "@" + version), "sha512-" + createHash("sha512").update(readFileSync(subject)).digest("base64"))
}
`

/** Makes a release of two packages, and returns how to publish it. */
const release = () => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-publish-"))
  const [bin, files, registry] = ["bin", "files", "registry"].map((name) => join(folder, name))
  assert(bin !== undefined && files !== undefined && registry !== undefined)
  for (const path of [bin, files, registry]) mkdirSync(path)
  writeFileSync(join(bin, "npm"), npm, { mode: 0o755 })
  const tarballs = ["@x/second", "first"].map((name) => {
    const source = join(folder, name.replace("/", "-"))
    mkdirSync(join(source, "package"), { recursive: true })
    writeFileSync(join(source, "package/package.json"), JSON.stringify({ name, version: "1.0.0" }))
    const file = join(files, `${name.replace("@", "").replace("/", "-")}-1.0.0.tgz`)
    Pack.run("tar", ["-czf", file, "package"], source)
    return file
  })
  writeFileSync(join(files, "notes.md"), "notes")
  writeFileSync(join(files, "SHA256SUMS"), Bill.sums([...tarballs, join(files, "notes.md")]))
  return {
    files,
    registry,
    publish: (refused = "") =>
      Pack.run(node, [join(Pack.root, "tooling/release/Publish.ts"), files, "--provenance"], folder, {
        ...process.env,
        PATH: `${bin}${delimiter}${process.env["PATH"]}`,
        FAKE_REGISTRY: registry,
        FAKE_REFUSED: refused
      }),
    calls: () => readFileSync(join(registry, "calls"), "utf8").trimEnd().split("\n"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true })
  }
}

describe("publishing", () => {
  it("publishes the tarballs in the order of SHA256SUMS, with the options of npm", () => {
    using made = release()
    assert.strictEqual(made.publish(), "published x-second-1.0.0.tgz\npublished first-1.0.0.tgz\n")
    assert.deepStrictEqual(made.calls(), [
      "view second@1.0.0 dist.integrity --json",
      "publish x-second-1.0.0.tgz --fetch-retries 0 --provenance",
      "view first@1.0.0 dist.integrity --json",
      "publish first-1.0.0.tgz --fetch-retries 0 --provenance"
    ])
  })

  it("skips what an earlier release that failed has published", () => {
    using made = release()
    assert.throws(() => made.publish("first"), /npm publish first-1\.0\.0\.tgz failed/)
    assert.strictEqual(made.publish(), "x-second-1.0.0.tgz is published already\npublished first-1.0.0.tgz\n")
  })

  it("refuses a version that is published with other contents", () => {
    using made = release()
    writeFileSync(join(made.registry, "first@1.0.0"), "sha512-other")
    assert.throws(() => made.publish(), /first@1\.0\.0 is published already, with other contents/)
  })

  it("publishes nothing if a file differs from SHA256SUMS", () => {
    using made = release()
    appendFileSync(join(made.files, "first-1.0.0.tgz"), "x")
    assert.throws(() => made.publish(), /first-1\.0\.0\.tgz differs from its line in SHA256SUMS/)
    assert.isFalse(existsSync(join(made.registry, "calls")))
  })

  it("publishes nothing while the registry does not answer", () => {
    using made = release()
    writeFileSync(join(made.registry, "broken"), "")
    assert.throws(() => made.publish(), /npm view @x\/second@1\.0\.0 failed/)
  })
})
