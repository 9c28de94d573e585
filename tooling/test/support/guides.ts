/** The console blocks of the guides: types their commands, and compares the answers with what the guide shows. */
import { assert } from "@effect/vitest"
import { ShellWords } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as ScenarioRunner from "sigtrap/commands/ScenarioRunner"

/** A command of a console block. */
interface Typed {
  readonly line: string
  readonly shown: ReadonlyArray<string>
}

/** Returns the commands of a guide's console blocks, each with what is shown of its answer. */
export const commandsOf = (text: string): ReadonlyArray<Typed> =>
  [...text.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .filter((part) => part !== "")
      .map((part) => {
        const [line = "", ...shown] = part.trimEnd().split("\n")
        return { line, shown }
      })
  )

/** Returns a line that is shown as a pattern: `…` is anything, and blanks are blanks. */
export const pattern = (shown: string): RegExp =>
  new RegExp(
    shown
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll(/\s+/g, "\\s+"))
      .join(".*"),
    "u"
  )

/** Runs a line with the shell. Does not wait for what the line starts in the background. */
export const typed = (line: string, cwd: string) => {
  const command = line.replace(/ & /, " > /dev/null 2>&1 & ")
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-c", command], { cwd, encoding: "utf8" })
  return { stdout, stderr, exit: status ?? 1 }
}

/** Returns the words that the shell makes of a line: it takes `>` for a redirection unless the word is quoted. */
const wordsOf = (line: string, cwd: string): ReadonlyArray<string> =>
  typed(`words() { printf '%s\\0' "$@"; }; words ${line}`, cwd).stdout.split("\0").slice(0, -1)

/**
 * Types the commands of a guide in a directory. One that shows an error or a failed run must fail. No session may be left. Other lines
 * than those of `sigtrap` go to `shell`.
 */
export const typeAlong = Effect.fnUntraced(function* (
  name: string,
  text: string,
  directory: string,
  environment: { readonly [name: string]: string },
  shell: typeof typed = typed
) {
  const run = (argv: ReadonlyArray<string>) =>
    ScenarioRunner.runLine({
      argv,
      directory,
      environment: { ...environment, SIGTRAP_CONFIG: join(directory, "no-config") }
    })
  const commands = commandsOf(text)
  assert.isAbove(commands.length, 3)
  for (const { line, shown } of commands) {
    const words = ShellWords.split(line.replaceAll("$PWD", directory))
    if (words[0] === "sigtrap") assert.deepStrictEqual(words, wordsOf(line, directory), `${name}: ${line}`)
    const told = words[0] === "sigtrap" ? yield* run(words.slice(1)) : shell(line, directory)
    const answer = told.stdout + told.stderr
    const fails = shown.some((each) => /^(?:error: |failed in run |time is up: )/.test(each))
    assert.strictEqual(told.exit === 0, !fails, `${name}: ${line}\n${answer}`)
    for (const each of shown) assert.match(answer, pattern(each), `${name}: ${line}`)
  }
  const left = yield* run(["sessions", "--json"])
  assert.notMatch(left.stdout, /"state":"(?:running|stopped)"/, `${name} leaves a session`)
})
