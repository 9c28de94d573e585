/**
 * Programs that handle their own crash: the stack continues through the frame of the signal to the code that it interrupted, and
 * `explain` names the fault there, live and in core files, on both LLDB backends. gcc puts parts of these functions elsewhere (`f.cold`), so
 * LLDB 19 does not find their callers. The calls in the program and its arguments say what happened.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { build } from "../support/builtPrograms.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
struct Request { Request *next; int size; };
static sigjmp_buf again;
static bool recovers, raises, returns;
static volatile int zero;
__attribute__((noinline)) void finish(const char *text, int number) {
  std::string line(text);
  if (number > 100) throw std::runtime_error(line);
  if (write(2, line.data(), line.size()) < 0) _exit(1);
  if (raises) {
    signal(number, SIG_DFL);
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, number);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    raise(number);
  }
  abort();
}
static void with_info(int number, siginfo_t *, void *) {
  if (returns) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (recovers) siglongjmp(again, 1);
  finish("in the handler\\n", number);
}
static void plain(int number) { finish("in the plain handler\\n", number); }
__attribute__((noinline)) int size_of(Request *request) {
  std::string name("request");
  if (request->size < 0) throw std::runtime_error(name);
  return request->next->size + (int)name.size();
}
__attribute__((noinline)) int share(int n) {
  std::string name("share");
  if (n < 0) throw std::runtime_error(name);
  return n / zero;
}
__attribute__((noinline)) int check(Request *request) {
  std::string name("check");
  if (request->size < 0) throw std::runtime_error(name);
  assert(request->size == 99);
  return 1;
}
__attribute__((noinline)) int serve(char what, Request *first, Request *last) {
  if (what == 'd') return 1 + share(first->size);
  if (what == 'a') return 1 + check(first);
  if (what == 'u') return 1 + raise(SIGUSR1);
  return 1 + size_of(last);
}
int main(int, char **words) {
  const char what = words[1][0];
  raises = words[2][0] == 'r', returns = words[2][0] == 'b';
  static char room[65536];
  stack_t other = {};
  other.ss_sp = room;
  other.ss_size = sizeof room;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  if (words[4][0] == 'i') action.sa_sigaction = with_info, action.sa_flags = SA_SIGINFO;
  else action.sa_handler = plain;
  if (words[3][0] == 'a') action.sa_flags |= SA_ONSTACK;
  for (int one : {SIGSEGV, SIGFPE, SIGUSR1}) sigaction(one, &action, nullptr);
  if (raises) sigaction(SIGABRT, &action, nullptr);
  Request last = {nullptr, 4}, first = {&last, 3};
  asm volatile("" : : "r"(&first), "r"(&last) : "memory");
  if (what == 's') {
    struct sigaction fresh = {};
    fresh.sa_sigaction = with_info, fresh.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &fresh, nullptr);
    recovers = true;
    if (sigsetjmp(again, 1) == 0) return serve(what, &first, &last);
    recovers = false;
    raise(SIGUSR1);
  }
  return serve(what, &first, &last);
}
`

/** The line of a text in the program. */
const lineOf = (text: string) => source.split("\n").findIndex((line) => line.includes(text)) + 1

interface Case {
  /** What the program does, what its handler does, on which stack it runs, and whether it is given the data of the signal. */
  readonly words: string
  readonly signal: string
  readonly fact: string
  readonly functions: string
}

const sizeOf = `size_of nodes.cpp:${lineOf("return request->next->size")}: request->next->size: request->next = NULL`
const nextSize = `in a handler of SIGSEGV (SEGV_MAPERR) that interrupted ${sizeOf}`

const cases: ReadonlyArray<Case> = [
  { words: "n abort normal info", signal: "SIGABRT", fact: nextSize, functions: "finish with_info size_of serve main" },
  {
    words: "n abort alternate info",
    signal: "SIGABRT",
    fact: nextSize,
    functions: "finish with_info size_of serve main"
  },
  {
    words: "n raise alternate info",
    signal: "SIGSEGV",
    fact: nextSize,
    functions: "finish with_info size_of serve main"
  },
  {
    words: "d abort alternate info",
    signal: "SIGABRT",
    fact: `in a handler of SIGFPE (FPE_INTDIV) that interrupted share nodes.cpp:${lineOf("return n / zero")}: n / zero: zero = 0`,
    functions: "finish with_info share serve main"
  },
  {
    words: "a raise alternate plain",
    signal: "SIGABRT",
    fact: `in a handler of SIGABRT that interrupted abort, called in check nodes.cpp:${lineOf("assert(request")}`,
    functions: "finish plain check serve main"
  },
  // The kernel writes no data of the signal for such a handler.
  {
    words: "u abort normal plain",
    signal: "SIGABRT",
    fact: `in a handler of a signal that interrupted raise, called in serve nodes.cpp:${lineOf("return 1 + raise(SIGUSR1)")}`,
    functions: "finish plain serve main"
  },
  // At the same place of the other stack is the data of an earlier fault, which the program survived.
  {
    words: "s abort alternate plain",
    signal: "SIGABRT",
    fact: `in a handler of a signal that interrupted raise, called in main nodes.cpp:${lineOf("    raise(SIGUSR1);")}`,
    functions: "finish plain main"
  }
]

if (process.platform === "linux" && process.arch === "x64") {
  layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("explain in a handler of a crash", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`names the code that the signal interrupted, and its fault (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const { folder, program } = yield* build("nodes.cpp", source, "g++", ["-O2"])
            const hasCores = !(yield* fs.readFileString("/proc/sys/kernel/core_pattern")).startsWith("|")

            const checked = Effect.fnUntraced(function* ({ fact, functions, signal, words }: Case, where: string) {
              const { data } = yield* call("explain", {})
              const name = `${words}, ${where}`
              assert.isTrue(data.summary.startsWith(signal), `${name}: ${data.summary}`)
              const found = data.facts.filter(({ kind }) => kind === "handler").map(({ text }) => text)
              assert.lengthOf(found, 1, name)
              // The assertion's text is known if the program's output has arrived.
              assert.strictEqual(found[0]?.replace(/: request->size == 99$/, ""), fact, name)
              assert.isFalse(
                (data.callers ?? []).some(({ function: one }) => one.startsWith("main")),
                `${name}: what was interrupted did not call the handler`
              )
              const { frames } = (yield* call("backtrace", {})).data
              const own = frames.filter(({ file }) => file?.endsWith("/nodes.cpp") === true)
              const names = own.map(({ function: one }) => one.replace(/^::|\(.*$/g, ""))
              assert.strictEqual(names.join(" "), functions, name)
            })

            // A signal that is sent in its own handler arrives at the instruction to which the handler returns.
            const args = ["n", "back", "normal", "info"]
            yield* call("start", { program, args, backend, environment, sources: [folder] })
            yield* call("continue", {})
            const again = (yield* call("explain", {})).data
            assert.strictEqual(again.summary, "SIGSEGV reading 4 bytes at NULL + 8")
            assert.includeMembers(
              again.facts.map(({ text }) => text),
              ["request->next->size: request->next = NULL", "sent by the program itself"]
            )
            yield* call("stop", {})

            for (const one of cases) {
              const args = one.words.split(" ")
              yield* call("start", { program, args, backend, environment, sources: [folder] })
              for (let stops = 0; stops < 4; stops++) {
                const { facts } = (yield* call("explain", {})).data
                if (facts.some(({ kind }) => kind === "handler")) break
                yield* call("continue", {})
              }
              yield* checked(one, "live")
              yield* call("stop", {})
              if (!hasCores) continue
              const place = `${folder}/${args.join("-")}`
              yield* fs.makeDirectory(place)
              const line = `ulimit -c unlimited; cd "${place}" && "${program}" ${one.words} 2>/dev/null`
              yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stdout: "ignore" })).pipe(Effect.ignore)
              const [core = ""] = (yield* fs.readDirectory(place)).filter((name) => name.startsWith("core"))
              yield* call("core", { file: `${place}/${core}`, program, backend, environment, sources: [folder] })
              yield* checked(one, "core file")
              yield* call("stop", {})
            }
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
