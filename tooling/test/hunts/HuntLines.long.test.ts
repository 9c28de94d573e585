// Runs until a failure as a shell sees them: a line of JSON after each run, Ctrl-C, and files that cannot be written.
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { builtSigtrap, record } from "../support/builtSigtrap.ts"
import { compile, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** Fails in each second run, in two ways in turn. Its argument is the file in which it counts its runs. */
const alternating = `#include <stdio.h>
static void store(int *place) { *place = 1; }
static void other(int *place) { *place = 2; }
int main(int argc, char **argv)
{
  int number = 0;
  FILE *file = fopen(argv[argc - 1], "r");
  if (file) { if (fscanf(file, "%d", &number) != 1) number = 0; fclose(file); }
  file = fopen(argv[argc - 1], "w");
  fprintf(file, "%d", number + 1);
  fclose(file);
  if (number % 4 == 1) store(0);
  if (number % 4 == 3) other(0);
  return 0;
}
`

/** Returns the processes whose command line or directory names a place. */
const left = (place: string): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
        return words[0]?.startsWith(place) === true ? [words.join(" ")] : []
      } catch {
        return []
      }
    })

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => record(JSON.parse(line)))

const made = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  const program = `${directory}/alternating`
  yield* fs.writeFileString(`${program}.c`, alternating)
  yield* compile(`${program}.c`, program)
  return { directory, program, fs }
})

suite("repeated runs at a shell", (it) => {
  it.effect("write a line for each run, and then the report", () =>
    Effect.gen(function* () {
      const { directory, program } = yield* made
      const { must, typed } = yield* builtSigtrap
      const words = ["run", program, "--until-failure=8", "--all", "--native-first", "--json"]
      const { code, out } = yield* typed([...words, "--", `${directory}/count`])
      assert.strictEqual(code, 1)
      const lines = linesOf(out)
      const report = lines.at(-1) ?? {}
      assert.deepStrictEqual(
        lines.map(({ n, type }) => [type, n]),
        [...Array.from({ length: 8 }, (_, index) => ["run", index + 1]), ["report", undefined]]
      )
      assert.deepInclude(report, {
        runs: 8,
        failures: 4,
        rate: 0.5,
        native_rate: 0.5,
        outcome: "failed",
        session: "failed"
      })
      const ids = Array.isArray(report["signatures"]) ? report["signatures"].map((one) => record(one)["id"]) : []
      assert.strictEqual(new Set(ids).size, 2)
      for (const { n, signature } of lines.slice(0, -1)) {
        if (Number(n) % 2 === 0) assert.include(ids, signature)
        else assert.isUndefined(signature)
      }
      assert.deepInclude(record(report["stop"]), { event: "stopped", reason: "signal" })
      assert.strictEqual(record(record(report["stop"])["location"])["function"], "store")
      const selecting = ["run", program, "--until-failure=2", "--no-keep", "--json", "--select", "data.run.runs"]
      const { code: none, out: selected } = yield* typed([...selecting, "--replace", "--", `${directory}/other`])
      assert.deepStrictEqual([none, selected], [1, "2\n"])
      yield* must("stop", "--all")
    }).pipe(Effect.scoped)
  )

  it.effect("of bisect write a line for each run, and then the report", () =>
    Effect.gen(function* () {
      const { directory, fs } = yield* made
      const { typed } = yield* builtSigtrap
      const program = `${directory}/picky`
      yield* compile(fileURLToPath(new URL("../../fixtures/c/picky.c", import.meta.url)), program)
      yield* fs.writeFileString(`${directory}/whole`, "name=abc\nkey of the door\nx =! y\n")
      const files = ["--input", `${directory}/whole`, "--out", `${directory}/small`]
      const { code, out } = yield* typed(["bisect", program, ...files, "--json"])
      assert.strictEqual(code, 0)
      assert.strictEqual(yield* fs.readFileString(`${directory}/small`), "key=!")
      const lines = linesOf(out)
      const { runs, signature, type, ...report } = lines.at(-1) ?? {}
      assert.strictEqual(type, "report")
      assert.deepInclude(report, { bytes: 5, end: "minimal" })
      assert.deepStrictEqual(
        lines.slice(0, -1).map(({ n }) => n),
        Array.from({ length: Number(runs) }, (_, index) => index + 1)
      )
      const failed = lines.filter((line) => line["signature"] === record(signature)["id"])
      assert.isAtLeast(failed.length, 4)
      for (const { outcome, signal } of failed) assert.deepStrictEqual([outcome, signal], ["signal", "SIGSEGV"])
    }).pipe(Effect.scoped)
  )

  it.effect("end at Ctrl-C, which prints and writes what was found, and leaves no process", () =>
    Effect.gen(function* () {
      const { directory, fs, program } = yield* made
      const { must, typed } = yield* builtSigtrap
      const hunt = ["run", program, "--until-failure=10000", "--all", "--timeout", "10m"]
      const report = `${directory}/report.jsonl`
      const shown = yield* typed([...hunt, "--json", "--report", report, "--", `${directory}/count`], '"n":6,')
      assert.strictEqual(shown.code, 130)
      const last = linesOf(shown.out).at(-1)
      assert.deepInclude(last, { type: "report", outcome: "interrupted" })
      assert.isAtLeast(Number(last?.["runs"]), 6)
      assert.isAtLeast(Number(last?.["failures"]), 3)
      assert.include(shown.err, "interrupted")
      while (left(directory).length > 0 || !(yield* fs.exists(report))) yield* Effect.sleep(20)
      const written = linesOf(yield* fs.readFileString(report))
      assert.deepInclude(written.at(-1), { type: "report", outcome: "interrupted" })
      assert.isAtLeast(written.length, 7)
      assert.deepStrictEqual((yield* must("sessions")).data["sessions"], [])
    }).pipe(Effect.scoped)
  )

  it.effect("are refused before the first run if a file cannot be written", () =>
    Effect.gen(function* () {
      const { directory, fs, program } = yield* made
      const { must, run } = yield* builtSigtrap
      for (const option of ["--report", "--junit"]) {
        const count = `${directory}/count`
        const refused = yield* run("run", program, "--until-failure=4", option, `${directory}/none/file`, "--", count)
        assert.deepInclude(refused, { code: 10 })
        assert.deepInclude(refused.error, { code: "FILE_NOT_WRITTEN" })
        assert.include(String(refused.error["hint"]), "mkdir -p")
        assert.isFalse(yield* fs.exists(count), "the program has run")
      }
      assert.deepStrictEqual((yield* must("sessions")).data["sessions"], [])
    }).pipe(Effect.scoped)
  )
})
