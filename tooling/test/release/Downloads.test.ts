import { assert, describe, it } from "@effect/vitest"
import * as Downloads from "../../release/Downloads.ts"

const sums = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "linux-x64-musl"]
  .map((platform, index) => `${String(index).repeat(64)}  sigtrap-bin-${platform}-1.2.3.tgz\n`)
  .join("")

describe("the address of a release", () => {
  it.each([
    ["git+https://host.example/owner/sigtrap.git", "https://host.example/owner/sigtrap"],
    ["git+ssh://git@host.example/owner/sigtrap.git", "https://host.example/owner/sigtrap"],
    ["https://host.example/owner/sigtrap", "https://host.example/owner/sigtrap"]
  ])("is on the page of %s", (url, expected) => {
    assert.strictEqual(Downloads.page({ type: "git", url }), expected)
    const own = Downloads.address({ type: "git", url }, "1.2.3", "/release")
    assert.strictEqual(own, `${expected}/releases/download/v1.2.3`)
  })

  it("is a folder if no repository is known", () => {
    assert.isUndefined(Downloads.page(undefined))
    assert.strictEqual(Downloads.address(undefined, "1.2.3", "/release"), "file:///release")
  })

  it("is in the script, and none that a shell would read in another way", () => {
    assert.include(Downloads.script("https://host.example/v1"), '\nfrom="https://host.example/v1"\n')
    assert.throws(() => Downloads.script('https://host.example/$(id)"'), /characters of a shell/)
  })
})

describe("the formula for Homebrew", () => {
  const text = Downloads.formula(sums, "1.2.3", "https://host.example/v1.2.3", "https://host.example")

  it("has the digest of each platform beside its file", () => {
    const pairs = [...text.matchAll(/url "(.*)"\n +sha256 "(\d)\d{63}"/g)].map(([, url, digit]) => [url, digit])
    const file = (platform: string) => `https://host.example/v1.2.3/sigtrap-bin-${platform}-1.2.3.tgz`
    assert.deepStrictEqual(pairs, [
      [file("darwin-arm64"), "0"],
      [file("darwin-x64"), "1"],
      [file("linux-arm64"), "2"],
      [file("linux-x64"), "3"]
    ])
  })

  it("closes each of its blocks", () => {
    const lines = text.trimEnd().split("\n")
    const opened = lines.filter((line) => /^\s*(?:class|def)\b|\bdo$/.test(line))
    assert.lengthOf(
      lines.filter((line) => /^\s*end$/.test(line)),
      opened.length
    )
  })

  it("is not made without the file of a platform", () => {
    assert.throws(
      () => Downloads.formula("", "1.2.3", "https://host.example", ""),
      /no sigtrap-bin-darwin-arm64-1\.2\.3/
    )
  })
})
