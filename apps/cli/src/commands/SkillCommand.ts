/**
 * `sigtrap skill print|install`: prints the skill file for coding agents, or installs it where they look for skills.
 */
import { Directories, SystemError } from "@sigtrap/host"
import { Errors, Hint, Nearest } from "@sigtrap/protocol"
import { Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Help from "../help/Help.ts"
import type { Command } from "./ClientCommand.ts"
import * as Arguments from "./Arguments.ts"

/** Paths of skills below the project directory, by agent. */
const targets: { readonly [name: string]: string } = {
  claude: ".claude/skills/sigtrap/SKILL.md",
  agents: ".agents/skills/sigtrap/SKILL.md"
}

/** Returns the skill: its description and the help for agents. */
const content = (): string =>
  [
    "---",
    "name: sigtrap",
    // A YAML text without quotes ends at a colon that a blank follows.
    "description: Debug C, C++, Rust, Go, Python and JavaScript programs with breakpoints, values and stacks. Use it when a program crashes, hangs or computes something wrong.",
    "---",
    "",
    ...Help.agent(),
    ""
  ].join("\n")

/** Runs `skill`. */
export const skill: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Arguments.read("skill", argv))
  const [verb = "print"] = words.words
  const text = content()
  if (verb === "print") return { text, data: { text } }
  if (verb !== "install") {
    const near = Nearest.names(verb, ["print", "install"])
    return yield* new Errors.Usage({
      problem: `skill has no command '${verb}'`,
      near,
      remedies: [Hint.local("skill", ["print"])]
    })
  }
  const target = words.values.get("target") ?? "claude"
  const below = Object.hasOwn(targets, target) ? targets[target] : undefined
  if (below === undefined) {
    const near = Nearest.names(target, Object.keys(targets))
    return yield* new Errors.Usage({
      problem: `unknown target '${target}'`,
      near,
      remedies: [Hint.local("skill", ["install", "--target", "claude"])]
    })
  }
  const file = resolve(place.directory, words.values.get("dir") ?? ".", below)
  if (existsSync(file) && !words.flags.has("force")) {
    return yield* new Errors.FileExists({
      path: file,
      remedies: [Hint.local("skill", ["install", "--target", target, "--force"])]
    })
  }
  yield* Effect.try({
    try: () => {
      Directories.make(dirname(file))
      writeFileSync(file, text)
    },
    catch: (error) =>
      new Errors.Permission({
        detail: `${file} cannot be written: ${SystemError.describe(error)}`,
        remedies: [Hint.local("skill", ["print"])]
      })
  })
  return { text: `${file}\n`, data: { file } }
})
