import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { platform } from "../support.ts"
import * as AdapterProcess from "../../src/dap/start/AdapterProcess.ts"
import * as ProgramKind from "../../src/adapters/ProgramKind.ts"
import { Registry } from "../../src/index.ts"

const files = Effect.fnUntraced(function* (contents: Readonly<Record<string, string | Uint8Array>>) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" }))
  for (const [name, content] of Object.entries(contents)) {
    const file = `${directory}/${name}`
    yield* typeof content === "string" ? fs.writeFileString(file, content) : fs.writeFile(file, content)
    yield* fs.chmod(file, 0o755)
  }
  return directory
})

/** A 64-bit ELF file with section names and nothing else. */
const elf = (names: string) => {
  const text = new TextEncoder().encode(names)
  const bytes = new Uint8Array(64 + 64 + Math.max(text.length, 128))
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1])
  const view = new DataView(bytes.buffer)
  view.setBigUint64(40, 64n, true)
  view.setUint16(58, 64, true)
  view.setUint16(60, 1, true)
  view.setUint16(62, 0, true)
  view.setBigUint64(64 + 24, 128n, true)
  view.setBigUint64(64 + 32, BigInt(text.length), true)
  bytes.set(text, 128)
  return bytes
}

describe("the adapter of a program", () => {
  it.layer(platform)("", (it) => {
    it.effect("is the one for its language, by its suffix or its contents", () =>
      Effect.gen(function* () {
        const directory = yield* files({
          native: elf("\0.text\0.data\0"),
          gopher: elf("\0.text\0.go.buildinfo\0"),
          script: `#!/usr/bin/env python3\n${"# comment\n".repeat(20)}`,
          short: "#!/usr/bin/python3\n",
          shell: `#!/bin/sh\n${"# python3\n".repeat(20)}`,
          node: `#!/usr/bin/env -S node --no-warnings\n${"// comment\n".repeat(20)}`,
          empty: ""
        })
        for (const [program, expected] of [
          ["native", "lldb-dap"],
          ["gopher", "delve"],
          ["script", "debugpy"],
          ["short", "debugpy"],
          ["shell", "lldb-dap"],
          ["empty", "lldb-dap"],
          ["missing", "lldb-dap"],
          ["app.py", "debugpy"],
          ["main.go", "delve"],
          ["node", "js-debug"],
          ["app.js", "js-debug"],
          ["app.mjs", "js-debug"],
          ["app.cts", "js-debug"],
          ["app.ts", "js-debug"]
        ] as const) {
          const adapter = yield* Registry.choose({ program: `${directory}/${program}` })
          assert.strictEqual(adapter.name, expected, program)
        }
      })
    )

    it.effect("is the requested one, by name, alias, versioned name or path", () =>
      Effect.gen(function* () {
        for (const [asked, expected] of [
          ["lldb-dap", "lldb-dap"],
          ["lldb-vscode-14", "lldb-dap"],
          ["/opt/bin/lldb-dap-22", "lldb-dap"],
          ["delve", "delve"],
          ["dlv", "delve"],
          ["/opt/go/bin/dlv", "delve"],
          ["python", "debugpy"],
          ["/opt/venv/bin/python3.12", "debugpy"],
          ["gdb", "gdb"],
          ["node", "js-debug"],
          ["/opt/js-debug/src/dapDebugServer.js", "js-debug"],
          ["codelldb", "codelldb"],
          ["/opt/bin/some-adapter", "lldb-dap"]
        ] as const) {
          const adapter = yield* Registry.choose({ program: "/bin/app", adapter: asked })
          assert.strictEqual(adapter.name, expected, asked)
        }
      })
    )

    it.effect("is a usage error if its name is unknown, with the nearest names", () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Registry.choose({ program: "/bin/app", adapter: "debugpi" }))
        assert.deepInclude(error, { _tag: "Usage", near: ["debugpy"] })
        const far = yield* Effect.flip(Registry.choose({ program: "/bin/app", adapter: "turbo-debugger" }))
        assert.deepInclude(far, { _tag: "Usage", near: [] })
      })
    )

    it.effect("is listed with its problem, every kind at least once", () =>
      Effect.gen(function* () {
        const directory = yield* files({
          dlv: "#!/bin/sh\necho 'Delve Debugger'; echo 'Version: 1.20.2'\n",
          gdb: "#!/bin/sh\necho 'GNU gdb (Some) 13.1'\n",
          "lldb-dap-19": "#!/bin/sh\n",
          "lldb-19": "#!/bin/sh\necho 'lldb version 19.1.7'\n",
          python3: "#!/bin/sh\nexit 1\n"
        })
        const found = yield* Registry.discover({ PATH: directory, XDG_DATA_DIRS: directory })
        assert.deepStrictEqual(
          found.map(({ languages: _, trials: __, ...one }) => one),
          [
            { name: "lldb-dap", path: `${directory}/lldb-dap-19`, version: "19.1.7" },
            { name: "debugpy", path: `${directory}/python3`, problem: "it has no module debugpy" },
            { name: "delve", path: `${directory}/dlv`, version: "1.20.2" },
            { name: "js-debug", problem: "not found" },
            {
              name: "gdb",
              path: `${directory}/gdb`,
              version: "13.1",
              problem: "GDB 13.1 has no DAP server; GDB 14 or newer is needed",
              needed: "14"
            },
            { name: "codelldb", problem: "not found" }
          ]
        )
      })
    )

    it.effect("is too old, with the version needed, or not found, with every place searched", () =>
      Effect.gen(function* () {
        const directory = yield* files({ gdb: "#!/bin/sh\necho 'GNU gdb (Some) 13.1'\n" })
        const adapter = yield* Registry.choose({ program: "/bin/app", adapter: "gdb" })
        const error = yield* Effect.flip(adapter.find({ adapter: "gdb", env: { PATH: directory }, cwd: "/" }))
        assert.deepInclude(error, {
          _tag: "VersionTooOld",
          path: `${directory}/gdb`,
          version: "13.1",
          needed: "14",
          message: `gdb 13.1 (${directory}/gdb) is too old; 14 or newer is needed`
        })
        const silent = yield* files({ gdb: "#!/bin/sh\nexit 1\n" })
        const missing = yield* Effect.flip(adapter.find({ adapter: "gdb", env: { PATH: silent }, cwd: "/" }))
        assert.deepInclude(missing, {
          _tag: "AdapterNotFound",
          looked: ["SIGTRAP_GDB (not set)", `${silent}/gdb (it does not print its version)`]
        })
      })
    )

    it.effect("is named by its variable before PATH", () =>
      Effect.gen(function* () {
        const directory = yield* files({
          dlv: "#!/bin/sh\necho 'Version: 1.20.2'\n",
          mine: "#!/bin/sh\necho 'Version: 1.24.0'\n"
        })
        const adapter = yield* Registry.choose({ program: "/src/main.go" })
        const env = { PATH: directory, SIGTRAP_DELVE: `${directory}/mine` }
        assert.deepStrictEqual(yield* adapter.find({ env, cwd: "/" }), {
          path: `${directory}/mine`,
          version: "1.24.0",
          major: 1
        })
      })
    )

    it.effect("is the native one for binaries with wrong table offsets", () =>
      Effect.gen(function* () {
        const wild = elf("\0.go.buildinfo\0")
        new DataView(wild.buffer).setBigUint64(40, 0xffff_ffff_ffffn, true)
        const directory = yield* files({ wild, cut: elf("\0.go.buildinfo\0").subarray(0, 70) })
        assert.strictEqual((yield* ProgramKind.read(`${directory}/wild`)).kind, "other")
        assert.strictEqual((yield* ProgramKind.read(`${directory}/cut`)).kind, "other")
      })
    )
  })
})

describe("the first line of an adapter", () => {
  it.effect("is taken out of the output however it is split, and nothing after it is", () =>
    Effect.gen(function* () {
      const text = "listening at: 127.0.0.1:4711\nprogram: grüße\nmore"
      const bytes = new TextEncoder().encode(text)
      for (const size of [1, 3, 28, 29, 30, bytes.length]) {
        const seen: Array<number> = []
        const errors: Array<number> = []
        const first = AdapterProcess.firstLine((channel, piece) =>
          (channel === "stdout" ? seen : errors).push(...piece)
        )
        for (let at = 0; at < bytes.length; at += size) first.onBytes("stdout", bytes.subarray(at, at + size))
        first.onBytes("stderr", new Uint8Array([65]))
        assert.strictEqual(yield* first.line, "listening at: 127.0.0.1:4711")
        assert.strictEqual(new TextDecoder().decode(new Uint8Array(seen)), "program: grüße\nmore", `${size}`)
        assert.deepStrictEqual(errors, [65])
      }
    })
  )
})
