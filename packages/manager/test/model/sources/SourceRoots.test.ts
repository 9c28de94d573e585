// Which files a session may show: below its roots or of the tool chain, never a file of secrets or of the system.
import { assert, describe, it } from "@effect/vitest"
import * as SourceRoots from "../../../src/model/sources/SourceRoots.ts"

const home = "/home/me"
const roots: SourceRoots.SourceRoots = { ...SourceRoots.none, directories: ["/projects/app"], homes: [home] }

const ruleOf = (file: string, of = roots) => SourceRoots.refusal(of, file)?.rule ?? "shown"

const table: { readonly [rule: string]: ReadonlyArray<string> } = {
  shown: [
    "/projects/app/main.c",
    "/projects/app/src/deep/token.c",
    "/projects/app/credentials.py",
    "/projects/app/environment.ts",
    "/usr/include/stdio.h",
    "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
    "/usr/lib/python3.11/threading.py",
    "/usr/local/go/src/fmt/print.go",
    `${home}/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/lib.rs`,
    `${home}/.cargo/registry/src/index/serde/src/lib.rs`,
    `${home}/go/pkg/mod/example.com/x/x.go`
  ],
  outside: [
    "/projects/application/main.c",
    "/projects/other.c",
    "/etc/passwd",
    "/home/user/main.c",
    `${home}/notes.txt`,
    `${home}/.rustup/settings.toml`,
    "/home/user/.cargo/registry/src/index/serde/src/lib.rs",
    "/usr/lib/python3.c",
    "/usr/includes/x.h"
  ],
  secret: [
    "/projects/app/.env",
    "/projects/app/.env.production",
    "/projects/app/deploy/prod.env",
    "/projects/app/.ENV",
    "/projects/app/server.pem",
    "/projects/app/certs/tls.key",
    "/projects/app/.netrc",
    "/projects/app/.npmrc",
    "/projects/app/.git/config",
    "/projects/app/.aws/credentials",
    "/projects/app/credentials.json",
    "/projects/app/secrets.yaml",
    "/projects/app/terraform.tfstate",
    "/projects/app/id_ed25519",
    "/etc/shadow",
    `${home}/.ssh/id_rsa`,
    `${home}/.ssh/config`,
    `${home}/.config/gcloud/access_tokens.db`,
    `${home}/.config/google-chrome/Default/Cookies`,
    `${home}/.mozilla/firefox/x/logins.json`,
    `${home}/Library/Keychains/login.keychain-db`,
    `${home}/.bash_history`
  ],
  system: ["/proc/self/environ", "/sys/kernel/notes", "/dev/zero", "/dev/shm/x.c", "/run/secrets/token"]
}

describe("a file", () => {
  for (const [rule, files] of Object.entries(table)) {
    it(`is ${rule}`, () => {
      for (const file of files) assert.strictEqual(ruleOf(file), rule, file)
    })
  }

  it("of secrets or of the system is not shown although a root holds it", () => {
    const wide = { ...roots, directories: ["/"] }
    for (const rule of ["secret", "system"]) {
      for (const file of table[rule] ?? []) assert.strictEqual(ruleOf(file, wide), rule, file)
    }
    assert.strictEqual(ruleOf("/etc/passwd", wide), "shown")
  })

  it("outside of the policy's directories is not shown, even of the tool chain", () => {
    const policy = { ...roots, policy: ["/projects/app/src"] }
    assert.strictEqual(ruleOf("/projects/app/src/main.c", policy), "shown")
    assert.strictEqual(ruleOf("/projects/app/main.c", policy), "outside")
    assert.strictEqual(ruleOf("/usr/include/stdio.h", policy), "outside")
  })

  it("has a hint that adds its directory, unless that holds more than sources", () => {
    const hints = (file: string) => JSON.stringify(SourceRoots.hints({ ...roots, searched: ["/a"] }, file, "outside"))
    assert.include(hints("/projects/other/x.c"), '"source.roots","/a,/projects/other"')
    const forbidden = SourceRoots.hints({ ...roots, policy: ["/a"] }, "/projects/other/x.c", "outside")
    assert.notInclude(JSON.stringify(forbidden), "--sources")
    for (const file of ["/etc/passwd", `${home}/x.c`, "/tmp/x.c", "/x.c"])
      assert.notInclude(hints(file), "source.roots")
  })
})

describe("a directory", () => {
  const isTooWide = (directory: string) =>
    SourceRoots.isTooWide(directory, { homes: [home], temporary: ["/scratch/tmp"] })

  it("of the system, of users or of temporary files does not become a root", () => {
    for (const directory of [
      "/",
      "/home",
      home,
      "/home/user",
      "/Users/me",
      "/root",
      "/tmp",
      "/var/tmp",
      "/scratch/tmp",
      "/etc",
      "/etc/ssl/private",
      "/usr",
      "/proc/1",
      "/var/log/app",
      `${home}/.config`,
      `${home}/.ssh`,
      `${home}/projects/.git`
    ]) {
      assert.isTrue(isTooWide(directory), directory)
    }
  })

  it("of a project is a root", () => {
    for (const directory of [
      "/projects",
      "/src/app",
      "/tmp/x",
      "/usr/src/app",
      "/opt/app",
      `${home}/work`,
      `${home}/.cache/build`
    ]) {
      assert.isFalse(isTooWide(directory), directory)
    }
    assert.isTrue(SourceRoots.isPersonal(`${home}/Downloads`, [home]))
    assert.isFalse(SourceRoots.isPersonal(`${home}/Downloads/app`, [home]))
  })
})
