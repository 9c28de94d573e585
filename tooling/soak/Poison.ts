/** Calls that must not hold the daemon: each is refused or answered while other calls are answered too. */
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Input } from "./Clients.ts"

/** A call, with a name for the report. */
export interface Call {
  readonly label: string
  readonly tag: string
  readonly input: Input
}

/** Creates the files of hostile calls in a folder; returns the calls. `session` is filled in for each. */
export const calls = (folder: string): ((random: () => number, session: string) => Call) => {
  const hostile = join(folder, "hostile")
  mkdirSync(hostile, { recursive: true })
  const at = (name: string) => join(hostile, name)
  execFileSync("mkfifo", [at("fifo")])
  symlinkSync("/dev/zero", at("zero"))
  symlinkSync(at("loop"), at("loop"))
  writeFileSync(at("broken.json"), "{".repeat(100_000))
  const huge = "x".repeat(1024 * 1024)
  const list: ReadonlyArray<Omit<Call, "label">> = [
    { tag: "output", input: { match: "((a+))+$" } },
    { tag: "output", input: { match: "(a|aa)+$" } },
    { tag: "wait", input: { for: "output:/(l+)+$/", timeout: "1s" } },
    { tag: "source", input: { at: `${at("fifo")}:1` } },
    { tag: "source", input: { at: `${at("zero")}:1` } },
    { tag: "source", input: { at: "/proc/self/environ:1" } },
    { tag: "source", input: { at: `${at("loop")}:1` } },
    { tag: "breakpoint.load", input: { file: at("fifo") } },
    { tag: "breakpoint.load", input: { file: at("zero") } },
    { tag: "breakpoint.load", input: { file: at("broken.json") } },
    { tag: "start", input: { launch_json: at("fifo"), session: "hostile" } },
    { tag: "start", input: { launch_json: at("zero"), session: "hostile" } },
    { tag: "start", input: { program: at("fifo"), session: "hostile" } },
    { tag: "start", input: { program: "/bin/true", env_file: at("fifo"), session: "hostile" } },
    { tag: "core", input: { file: at("fifo"), session: "hostile" } },
    { tag: "break", input: { at: `counter.c:1\nplatform shell touch ${at("canary")}` } },
    { tag: "break", input: { at: huge } },
    { tag: "print", input: { expressions: [huge] } },
    { tag: "print", input: { expressions: Array.from({ length: 2000 }, (_, index) => `${index}+${index}`) } },
    { tag: "print", input: { expressions: ["(".repeat(20_000)] } },
    { tag: "locals", input: { filter: "((a+))+$" } },
    { tag: "memory.read", input: { address: "0", count: 4096 } }
  ]
  return (random, session) => {
    const at = Math.floor(random() * list.length)
    const { input, tag } = list[at] ?? { tag: "sessions", input: {} }
    return { label: `poison ${at} (${tag})`, tag, input: { session, ...input } }
  }
}
