/** `explain` of a core file that an uncaught C++ exception left. What the program wrote before is the second source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const source = `#include <exception>
#include <stdexcept>
#include <string>
struct Plain { int number; };
struct Own : std::exception { const char *what() const noexcept override { return "computed"; } };
namespace shop { struct Broken : std::range_error { using std::range_error::range_error; }; }
struct Tagged { long tag = 7; virtual ~Tagged() {} };
struct Several : Tagged, std::runtime_error { Several() : std::runtime_error("of two bases") {} };
struct Shared : virtual std::runtime_error { Shared() : std::runtime_error("of a shared base") {} };
struct Guard { std::string text = "destroyed"; ~Guard() {} };
static void fail(const std::string &text) { throw shop::Broken(text); }
int main(int, char **words) {
  std::string how = words[1];
  for (int i = 0; i < 5; i++) try { fail("caught " + std::to_string(i)); } catch (std::exception &) {}
  if (how == "thrown") fail("the last one");
  if (how == "nested") { try { throw std::runtime_error("first"); } catch (std::exception &) { fail("second"); } }
  if (how == "again") { try { fail("thrown again"); } catch (std::exception &) { throw; } }
  if (how == "noexcept") [](const char *text) noexcept { fail(text); }("in noexcept");
  if (how == "cleaned") [](const char *text) noexcept { [](const char *text) { Guard guard; fail(text); }(text); }("cleaned up");
  if (how == "text") throw "only text";
  if (how == "own") throw Own();
  if (how == "plain") throw Plain{3};
  if (how == "string") throw std::string("only a string");
  if (how == "quoted") fail(R"(a "quoted" \\ text)");
  if (how == "several") throw Several();
  if (how == "shared") throw Shared();
  if (how == "within") try { fail("inner"); } catch (...) { std::throw_with_nested(std::logic_error("outer")); }
  if (how == "number") throw -5;
  if (how == "fraction") throw 1.5;
  if (how == "kept") {
    std::exception_ptr kept;
    try { fail("kept"); } catch (...) { kept = std::current_exception(); }
    std::rethrow_exception(kept);
  }
}
`

const adapters = ["lldb-dap", "lldb"]

const cases =
  "thrown nested again noexcept cleaned text own plain string quoted several shared within number fraction kept".split(
    " "
  )

/** What the program writes about its exception. Only a call can compute the text of one. */
const saidBy = (stderr: string, calls: boolean): string => {
  const [, type = ""] = /instance of '(.+)'/.exec(stderr) ?? []
  const [, text] = /what\(\): {2}(.+)/.exec(stderr) ?? []
  if (type === "char const*") return "const char *: only text"
  if (type.includes("basic_string")) return "std::string: only a string"
  if (type === "int") return "int: -5"
  if (type === "double") return "double: 1.5"
  return text === undefined || (text === "computed" && !calls) ? `exception of type ${type}` : `${type}: ${text}`
}

suite("explain of a core file", (it) => {
  for (const [index, adapter] of adapters.entries()) {
    it.effect(
      `has the type and the text of the C++ exception that ended the program (${adapter})`,
      () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            if ((yield* fs.readFileString("/proc/sys/kernel/core_pattern")).startsWith("|")) return
            const directory = yield* fs.makeTempDirectoryScoped()
            const program = `${directory}/thrown`
            yield* fs.writeFileString(`${program}.cpp`, source)
            const built = ChildProcess.make("g++", ["-g", `${program}.cpp`, "-o", program])
            if (Number(yield* spawner.exitCode(built)) !== 0) return
            const causes = (facts: ReadonlyArray<{ readonly text: string }>) =>
              facts.filter(({ text }) => text.startsWith("raised before: ")).map(({ text }) => text.slice(15))
            for (const [number, how] of cases.entries()) {
              const place = `${directory}/core of ${how}`
              yield* fs.makeDirectory(place)
              const line = `ulimit -c unlimited; cd "${place}" && ${program} ${how} 2>&1`
              const stderr = yield* Effect.scoped(
                Effect.flatMap(spawner.spawn(ChildProcess.make("sh", ["-c", line])), (run) =>
                  Stream.mkString(Stream.decodeText(run.stdout))
                )
              )
              const core = (yield* fs.readDirectory(place)).find((name) => name.startsWith("core"))
              if (core === undefined) return
              // Each debugger reads every other core file, and the programs of the others.
              const isLive = index !== number % 2
              yield* isLive
                ? call("start", { program, args: [how], adapter, replace: true, environment })
                : call("core", { file: `${place}/${core}`, program, adapter, replace: true, environment })
              const { data } = yield* call("explain", {})
              assert.strictEqual(data.summary, `SIGABRT: ${saidBy(stderr, isLive)}`, how)
              assert.deepStrictEqual(causes(data.facts), how === "within" ? ["shop::Broken: inner"] : [], how)
            }
          })
        ).pipe(Effect.scoped),
      120_000
    )
  }
})
