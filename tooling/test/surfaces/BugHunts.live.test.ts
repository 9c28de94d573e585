/**
 * Bug hunts over MCP: for each program the calls that an agent chooses who has read the source and knows only the symptom.
 * At most two calls must show the line and the values that are wrong, in little text.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compile, environment, platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"
import * as Mcp from "./mcpServers.ts"

/** A call of a tool. */
type Call = readonly [tool: string, input: { readonly [field: string]: unknown }]

/** A program with a bug. */
interface Hunt {
  /** What the user sees. */
  readonly symptom: string
  readonly calls: ReadonlyArray<Call>
  /** What the answers must show: the wrong line and the values that prove it. */
  readonly shows: ReadonlyArray<string | RegExp>
  /** True if a watchpoint finds it. */
  readonly watches?: true
}

/** The most bytes of text of one hunt, on average. */
const averageBytes = 750

const fixtures = fileURLToPath(new URL("../../fixtures/hunts/", import.meta.url))

/** Returns the location of the line that a program marks. */
const at = (file: string, mark: string) => {
  const index = readFileSync(`${fixtures}${file}`, "utf8")
    .split("\n")
    .findIndex((text) => text.includes(`mark: ${mark}`))
  assert(index >= 0, `${file} has no mark ${mark}`)
  return `${file}:${index + 1}`
}

const stops = (...commands: ReadonlyArray<string>): Call => ["script", { commands }]

/** Returns commands of one session. */
const inside = (session: string, ...commands: ReadonlyArray<string>) =>
  commands.map((command) => `${command} --session ${session}`)

const hunts: ReadonlyArray<Hunt> = [
  {
    symptom: "an average that is too low: the loop begins at the second element",
    calls: [["start", { program: "./average", break: [at("average.c", "first")], session: "average" }]],
    shows: ["i=1", "sum=0", "for (int i = 1;"]
  },
  {
    symptom: "a crash inside the C library: a null string in a list",
    calls: [["start", { program: "./words", session: "words" }]],
    shows: ["SIGSEGV", at("words.c", "crash"), /at=0x\w+ \{text:0x0/]
  },
  {
    symptom: "a counter that becomes zero: one element is written past the end of an array",
    calls: [
      stops("start ./scores --break reset --session scores", ...inside("scores", "watch game->lives", "continue"))
    ],
    watches: true,
    shows: ["game->lives 3 -> 0", `written by ${at("scores.c", "write")}`, "i=4"]
  },
  {
    symptom: "a balance that is overwritten: the wrong element is assigned",
    calls: [
      stops("start ./ledger --break main --session ledger", ...inside("ledger", "watch book[1].balance", "continue"))
    ],
    watches: true,
    shows: ["book[1].balance 200 -> 5", `written by ${at("ledger.c", "write")}`, "i=0"]
  },
  {
    symptom: "a program that hangs: two threads lock two mutexes in opposite order",
    calls: [
      ["start", { program: "./transfer", timeout: "1s", session: "transfer" }],
      stops(...inside("transfer", "pause", "threads"))
    ],
    shows: [
      new RegExp(`${at("transfer.c", "sell")} sell \\(in \\w*pthread_mutex_lock`),
      new RegExp(`${at("transfer.c", "buy")} buy \\(in \\w*pthread_mutex_lock`)
    ]
  },
  {
    symptom: "a discount for ten books that is too small: > where >= is meant",
    calls: [
      [
        "start",
        {
          program: "./prices",
          break: [`${at("prices.cpp", "sum")} if item.count >= 10`],
          session: "prices"
        }
      ]
    ],
    shows: ["count:10", "percent=10"]
  },
  {
    symptom: "an assertion about a list: its size is decremented twice",
    calls: [["start", { program: "./queue", session: "queue" }]],
    shows: ["assert: found == list.size", at("queue.cpp", "assert"), "found=3", "size:2"]
  },
  {
    symptom: "an exception that nothing catches: a field that is not a number",
    calls: [["start", { program: "./parser", session: "parser" }]],
    shows: ["std::invalid_argument: stoi", at("parser.cpp", "throw"), `{"c","x3"}`, "column=1"]
  },
  {
    symptom: "a recursion without end: an unsigned number passes zero",
    calls: [
      ["start", { program: "./depth", session: "depth" }],
      ["locals", { frame: 1, session: "depth" }]
    ],
    shows: ["SIGSEGV", "steps ×", /n = 429\d{7}/]
  },
  {
    symptom: "a Python program that ends with a KeyError: a misspelled name in an order",
    calls: [["start", { program: "inventory.py", session: "inventory" }]],
    shows: ["KeyError: 'bok'", at("inventory.py", "raise"), "stock={'pen': 5, 'book': 5}"]
  },
  {
    symptom: "a Python function with a wrong result: the median takes the elements after the middle",
    calls: [
      [
        "start",
        {
          program: "median.py",
          break: [at("median.py", "even")],
          session: "median"
        }
      ]
    ],
    shows: ["middle=3", "ordered=[1, 2, 3, 4, 5, 9]"]
  }
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("an agent", (it) => {
  it.effect("finds each bug with at most two calls, in 750 bytes on average", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-hunts-" }))
      const project = `${home}/project`
      yield* fs.copy(fixtures, project)
      const natives = (yield* fs.readDirectory(project)).filter((name) => /\.c(?:pp)?$/.test(name))
      yield* Effect.forEach(
        natives,
        (name) => compile(`${project}/${name}`, `${project}/${name.replace(/\.\w+$/, "")}`),
        { concurrency: 2 }
      )
      const agent = yield* Mcp.stdio({
        directory: project,
        args: ["--isolated"],
        environment: { ...environment, HOME: home, TMPDIR: home }
      })
      const isWatching = hasWatchpoints()
      const sizes = yield* Effect.forEach(
        hunts.filter(({ watches }) => isWatching || watches !== true),
        ({ calls, shows, symptom }) =>
          Effect.gen(function* () {
            assert.isAtMost(calls.length, 2, symptom)
            const texts = yield* Effect.forEach(calls, ([tool, input]) =>
              Effect.map(agent.call(tool, input), ({ text }) => text)
            )
            const text = texts.join("\n")
            for (const expected of shows) assert.match(text, expected instanceof RegExp ? expected : literal(expected))
            return new TextEncoder().encode(text).length
          }),
        { concurrency: 3 }
      )
      assert.isAtLeast(sizes.length, isWatching ? 9 : 7)
      assert.isAtMost(sizes.reduce((sum, size) => sum + size, 0) / sizes.length, averageBytes, sizes.join(" "))
    })
  )
})

/** Returns a pattern that matches a text. */
const literal = (text: string) => new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
