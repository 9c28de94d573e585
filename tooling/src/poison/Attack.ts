/**
 * Sends poison inputs to a daemon while another client asks it for its sessions.
 */
import { bundled } from "@sigtrap/host/testing"
import { mkdtempSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { codeOf, Connection } from "./Connection.ts"
import type { Poison } from "./Poisons.ts"

/** The command that runs `PoisonDaemon`. */
export const daemon = bundled(join(import.meta.dirname, "PoisonDaemon.ts"))

/** Starts the session `work`, whose program writes long lines: 10 MiB, the amount that a session keeps. */
export const prepare = async (path: string, root: string): Promise<void> => {
  writeFileSync(join(root, "app"), "", { mode: 0o755 })
  const connection = new Connection(path)
  await connection.run(["start", "./app", "--no-wait", "--session", "work"], root)
  await connection.run(["poison", "write", `${"a".repeat(100_000)}!\n`, "20"], root)
  await connection.run(["poison", "write", `${"x".repeat(4000)}\n`, "2100"], root)
  connection.close()
}

/** What one poison did. */
export interface Outcome {
  readonly code: string
  /** Answers that the other client got while the poison was pending, and the milliseconds of each. */
  readonly times: ReadonlyArray<number>
  /** The longest turn of the loop, in milliseconds of CPU time. */
  readonly turn: number
}

/** Asks for sessions until a promise settles, and `least` times at least; returns the time of each answer. */
const askUntil = async (other: Connection, settled: Promise<unknown>, directory: string, least: number) => {
  const times: Array<number> = []
  const state = { isDone: false }
  void settled.then(() => {
    state.isDone = true
  })
  while (!state.isDone || times.length < least) {
    const before = performance.now()
    const code = codeOf(await other.run(["sessions", "--json"], directory))
    if (code !== "ok") throw new Error(`the other client got ${code}`)
    times.push(performance.now() - before)
  }
  return times
}

/** Names the session of a call, so that poisons do not depend on each other. */
const wordsOf = (argv: ReadonlyArray<string>, directory: string) => [
  "--json",
  ...argv,
  ...(argv.includes("--session") ? [] : ["--session", argv[0] === "start" ? basename(directory) : "work"])
]

/**
 * Sends a poison on its own connection. Bytes without an answer are followed by three questions of the other client. It
 * asks at least `least` times, for a poison whose effect comes after its answer.
 */
export const send = async (poison: Poison, path: string, root: string, least = 1): Promise<Outcome> => {
  const directory = mkdtempSync(join(root, "poison-"))
  writeFileSync(join(directory, "app"), "", { mode: 0o755 })
  poison.files?.(directory)
  const other = new Connection(path)
  const own = new Connection(path)
  await other.run(["poison", "turn"], directory)
  const answered = "argv" in poison ? own.run(wordsOf(poison.argv, directory), directory) : own.send(poison.bytes())
  const silence = async () => {
    for (let count = 0; count < 5; count++) await other.run(["status"], directory)
  }
  // Questions of the other client may be answered before the whole poison was read, so silence counts only if it is expected.
  const others = !("argv" in poison) && poison.answer.test("none") ? [own.drained.then(silence)] : []
  const ended = "argv" in poison ? answered : Promise.race([answered, own.closed, ...others])
  const times = await askUntil(other, ended, directory, Math.max(1, least))
  const answer = await ended
  const turn = Number((await other.run(["poison", "turn"], directory)).text)
  own.close()
  other.close()
  return { code: answer === undefined ? "none" : codeOf(answer), times, turn }
}

/** Sends a poison many times at once, command lines on one connection and bytes each on its own; returns the codes. */
export const sendMany = async (
  poison: Poison,
  path: string,
  directory: string,
  copies: number
): Promise<ReadonlyArray<string>> => {
  const numbers = Array.from({ length: copies }, (_, copy) => copy)
  if ("argv" in poison) {
    const own = new Connection(path)
    const answers = await Promise.all(
      numbers.map((copy) => own.run(wordsOf(poison.argv, `${directory}-${copy}`), directory))
    )
    own.close()
    return answers.map(codeOf)
  }
  const bytes = poison.bytes()
  return Promise.all(
    numbers.map(async () => {
      const own = new Connection(path)
      const answered = own.send(bytes)
      const answer = await Promise.race([answered, own.closed, own.drained.then(() => silence(path, directory))])
      own.close()
      return answer === undefined ? "none" : codeOf(answer)
    })
  )
}

/** Waits until the daemon has answered some questions. */
const silence = async (path: string, directory: string): Promise<undefined> => {
  const other = new Connection(path)
  for (let count = 0; count < 5; count++) await other.run(["status"], directory)
  other.close()
  return undefined
}
