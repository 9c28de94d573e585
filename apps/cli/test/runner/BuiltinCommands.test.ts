// Help, schemas, completion, version.
import { Nearest } from "@sigtrap/protocol"
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { Effect } from "effect"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Completion from "../../src/help/Completion.ts"
import { run } from "../fakes.ts"

const shown = (...argv: ReadonlyArray<string>) => Effect.map(run(argv), ({ stdout }) => stdout)

describe("help", () => {
  const everything = [[], ...Commands.names.map((name) => name.split(" "))]

  it.effect.each(everything.map((words) => ({ words })))(
    "of $words fits on a screen and begins with two examples",
    ({ words }) =>
      Effect.gen(function* () {
        const { stdout, code } = yield* run([...words, "--help"])
        const lines = stdout.trimEnd().split("\n")
        assert.isAtMost(lines.length, 60)
        assert.isTrue(
          lines.slice(0, 2).every((line) => line.startsWith("  sigtrap ")),
          stdout
        )
        assert.strictEqual(lines[2], "")
        assert.notMatch(stdout, /[ \t]$/m)
        assert.strictEqual(code, 0)
        assert.strictEqual(yield* shown("help", ...words), stdout)
      })
  )

  it.effect.each(Builtins.all.map((builtin) => ({ builtin })))(
    "of $builtin.name describes each of its options",
    ({ builtin }) =>
      Effect.gen(function* () {
        const lines = (yield* shown("help", builtin.name)).split("\n")
        for (const { description, flag } of builtin.options) {
          assert.isTrue(
            lines.some((line) => line.includes(` --${flag}`) && line.includes(description)),
            `--${flag}`
          )
        }
      })
  )

  const groups = [...new Set(Commands.names.flatMap((name) => (name.includes(" ") ? [name.split(" ")[0] ?? ""] : [])))]

  it.effect.each(groups.map((group) => ({ group })))("of the group $group lists its commands", ({ group }) =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run([group, "--help"])
      assert.strictEqual(code, 0)
      assert.strictEqual(yield* shown("--help", group), stdout)
      assert.strictEqual(yield* shown("help", group), stdout)
      if (Commands.names.includes(group)) return
      assert.include(stdout, `${group}: commands`)
      for (const name of Commands.names.filter((one) => one.startsWith(`${group} `))) assert.include(stdout, name)
    })
  )

  it.effect("of an unknown command or member of a group is an error", () =>
    Effect.gen(function* () {
      for (const words of [
        ["brak", "--help"],
        ["control", "tke", "--help"]
      ]) {
        const { code, stderr } = yield* run(words)
        assert.strictEqual(code, 2)
        assert.include(stderr, `unknown command '${words.slice(0, -1).join(" ")}'`)
      }
    })
  )

  it.effect("shows examples that run without changes", () =>
    Effect.gen(function* () {
      for (const { name } of Builtins.all.filter((builtin) => !builtin.name.startsWith("_") && !builtin.client)) {
        for (const example of Builtins.find(name)?.examples ?? []) {
          assert.strictEqual((yield* run(example.split(" "))).code, 0, example)
        }
      }
    })
  )

  it.effect("for agents is at most 4 KiB", () =>
    Effect.gen(function* () {
      assert.isAtMost(new TextEncoder().encode(yield* shown("help", "--agent")).length, 4096)
    })
  )

  it.effect("without a command is the same as help", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* shown(), yield* shown("help"))
    })
  )

  it.effect("of an unknown command names similar commands", () =>
    Effect.gen(function* () {
      const { stderr, code } = yield* run(["help", "brak"])
      assert.include(stderr, "no command 'brak'; nearest: break")
      assert.strictEqual(code, 2)
    })
  )
})

describe("the catalogue", () => {
  it.effect("has every command, its options and its examples", () =>
    Effect.gen(function* () {
      const { data } = JSON.parse(yield* shown("commands", "--json"))
      assert.deepStrictEqual(
        data.commands.map((command: { readonly name: string }) => command.name),
        Commands.all.map(({ name }) => name)
      )
      const options = data.commands.flatMap(
        (command: { readonly options: ReadonlyArray<{ readonly flag: string; readonly description: string }> }) =>
          command.options
      )
      assert.isTrue(options.every(({ description }: { readonly description: string }) => description !== ""))
      assert.notInclude(JSON.stringify(options), "--environment")
    })
  )

  it.effect.each(Commands.all.map(({ name }) => name))("has the schemas of %s", (name) =>
    Effect.gen(function* () {
      const { payload, envelope } = JSON.parse(yield* shown("schema", ...name.split(" ")))
      assert.strictEqual(payload.type, "object")
      assert.deepStrictEqual(envelope.oneOf[0].properties.cmd, { const: name })
      const references = [...JSON.stringify(envelope).matchAll(/"#\/\$defs\/(\w+)"/g)].map((match) => match[1] ?? "")
      assert.deepStrictEqual(
        references.filter((reference) => !(reference in envelope.$defs)),
        []
      )
    })
  )

  it.effect("prints the versions", () =>
    Effect.gen(function* () {
      const version = yield* shown("--version")
      assert.match(version, /^sigtrap \d+\.\d+\.\d+ \(protocol \d+\.\d+\)\n$/)
      assert.strictEqual(yield* shown("-V"), version)
      assert.strictEqual(yield* shown("version"), version)
    })
  )
})

describe("completion", () => {
  it.effect("prints names of sessions and numbers of breakpoints", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* shown("__complete", "sessions"), "web\n")
      assert.strictEqual(yield* shown("__complete", "breakpoints"), "")
    })
  )

  it.each(Completion.shells)("in %s has every command and option", (shell) => {
    const script = Completion.script(shell)
    for (const { name, options, meta } of Commands.all) {
      assert.include(script, name.split(" ").at(-1) ?? "")
      for (const { flag, field } of options.filter((option) => option.field !== meta.rest))
        assert.include(script, flag, `${name} ${field}`)
    }
    for (const { name, options } of Builtins.all) {
      for (const { flag } of options) assert.include(script, flag, `${name} ${flag}`)
    }
    assert.include(script, "__complete sessions")
    assert.include(script, "__complete breakpoints")
  })

  it("in bash is a valid script that completes", () => {
    const script = Completion.script("bash")
    const { status, stderr } = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    const quoted = (words: ReadonlyArray<string>) => words.map((word) => `'${word}'`).join(" ")
    const complete = (expected: string, ...words: ReadonlyArray<string>) => ({
      expected,
      text: `sigtrap() { echo web; }; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}`
    })
    // A word of bash ends at a colon and at the end of an arrow, so only the rest of a name is offered.
    const live = (expected: string, line: string, word: string, ...names: ReadonlyArray<string>) => ({
      expected,
      text: `sigtrap() { printf '%s\\n' ${quoted(names)}; }; compopt() { :; }; COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(sigtrap ${line.split(" ")[1] ?? ""} '${word}'); COMP_CWORD=2`
    })
    const completions = [
      complete("break breakpoint", "sigtrap", "brea"),
      complete("list info remove enable disable .*", "sigtrap", "breakpoint", ""),
      complete("--pending", "sigtrap", "break", "--pen"),
      complete("web", "sigtrap", "-S", ""),
      live("10 14", "sigtrap break app.c:1", "1", "app.c:10", "app.c:14"),
      live("10", "sigtrap break app.c:", ":", "app.c:10"),
      live("score", "sigtrap print items->s", "s", "items->score"),
      live("total", "sigtrap print to", "to", "total"),
      complete("output.context", "sigtrap", "config", "set", "output.con"),
      complete("", "sigtrap", "config", "set", "output.context", "output."),
      complete("--json", "sigtrap", "config", "set", "output.context", "--js"),
      complete("full", "sigtrap", "mcp", "--profile", "f"),
      complete("--structured", "sigtrap", "mcp", "--str"),
      complete("brief", "sigtrap", "next", "--context", "b"),
      complete("web", "sigtrap", "-S", "web", "stop", "w"),
      complete("--address", "sigtrap", "serve", "--addr"),
      complete("--dry-run", "sigtrap", "setup", "--dry"),
      {
        expected: "my prog\\|",
        text: `cd "$(mktemp -d)"; touch 'my prog'; echo() { printf '%s|' "\${COMPREPLY[@]}"; command echo; }; COMP_WORDS=(sigtrap --program my); COMP_CWORD=2`
      }
    ]
    const shown = spawnSync(
      "bash",
      [
        "-c",
        [
          'eval "$(cat)"',
          ...completions.map(({ text }) => `(${text}; COMPREPLY=(); _sigtrap; echo "\${COMPREPLY[*]}")`)
        ].join("\n")
      ],
      { input: script, encoding: "utf8" }
    ).stdout.split("\n")
    for (const [index, { expected, text }] of completions.entries()) {
      assert.match(shown[index] ?? "", new RegExp(`^${expected}$`), text)
    }
  })

  it.effect("of an unknown shell names the known ones", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run(["completion", "tcsh"])
      assert.include(stderr, "no completion for 'tcsh'; nearest: bash, zsh, fish")
    })
  )
})

describe("near names", () => {
  it.each([
    ["brek", ["break", "next"], ["break"]],
    ["contineu", ["continue", "context", "break"], ["continue"]],
    ["xyzzy", ["break", "next"], []],
    ["bre", ["break", "breakpoint list", "breakpoint remove", "bt"], ["break", "breakpoint list", "breakpoint remove"]]
  ])("of %s are at most three, the nearest first", (word, known, expected) => {
    assert.deepStrictEqual(Nearest.names(word, known), expected)
  })
})
