/** Tests of `explain` at crashes, for each LLDB backend. Each answer is compared with the source of the program. */
import { assert, layer } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"
import type { Crash } from "./crashCases.ts"

type Explained = Operations.Data<"explain">

const explainCrash = ({ call, start }: Debugging, adapter: string, program: string, kind: string) =>
  Effect.gen(function* () {
    const stop = (yield* start(program, { adapter, args: [kind], replace: true })).data
    return { stop, found: (yield* call("explain", {})).data }
  })

const factOf = ({ facts }: Explained, kind: Explained["facts"][number]["kind"]) =>
  facts.find((fact) => fact.kind === kind)

const checkValue = (found: string | undefined, expected: string | RegExp) =>
  typeof expected === "string" ? assert.strictEqual(found, expected) : assert.match(found ?? "", expected)

/** Defines the tests of one adapter. */
export const crashTests = (adapter: "lldb-dap" | "lldb", crashes: ReadonlyArray<Crash>): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(`explain, under ${adapter}`, (it) => {
    it.effect("names address, expression and values of a crash, as the source has them", () =>
      debugging((own) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          for (const crash of crashes) {
            const { found, stop } = yield* explainCrash(own, adapter, "faults", crash.kind)
            assert.strictEqual(found.what, "crash", crash.kind)
            assert.match(found.summary, crash.summary, crash.kind)
            assert.strictEqual(found.user_frame?.function, crash.function, crash.kind)
            if (crash.function !== undefined && crash.marked !== false)
              assert.strictEqual(found.user_frame?.line, line("faults.c", crash.kind), crash.kind)
            const expression = factOf(found, "expression")
            assert.strictEqual(expression?.expression, crash.expression?.[0], crash.kind)
            crash.expression?.[1].forEach(([name, value], index) => {
              assert.strictEqual(expression?.values?.[index]?.expression, name, crash.kind)
              checkValue(expression?.values?.[index]?.value, value)
            })
            if (crash.line !== undefined) assert.match(stop.explain ?? "", crash.line, crash.kind)
            // Reading the stop again answers the same: evaluating has not changed what is known of the signal.
            const again = (yield* own.call("explain", {})).data
            assert.deepStrictEqual(
              { ...again, user_frame: undefined, callers: undefined },
              {
                ...found,
                user_frame: undefined,
                callers: undefined
              },
              crash.kind
            )
          }
        })
      )
    )
  })
}

/** Defines the tests of exceptions with one adapter. */
export const exceptionTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(
    `explain of an exception, under ${adapter}`,
    (it) => {
      it.effect("has the type of what was thrown, and its message only if it has one", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            const { found: number } = yield* explainCrash(own, adapter, "thrower", "n")
            assert.strictEqual(number.summary, "SIGABRT: int: 2")
            const { found: error } = yield* explainCrash(own, adapter, "thrower", "e")
            assert.strictEqual(error.summary, "SIGABRT: exception of type Failure")
            yield* own.start("thrower", { adapter, replace: true })
            const { data } = yield* own.call("explain", {})
            assert.strictEqual(data.summary, "SIGABRT: std::runtime_error: too big")
            assert.strictEqual(data.user_frame?.line, line("thrower.cpp", "throw"))
          })
        )
      )
    }
  )
}

/** Defines the tests of programs that the C++ runtime ends, and of a reference to no object, with one adapter. */
export const terminateTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(`explain of C++, under ${adapter}`, (it) => {
    it.effect("names what ended the program without an exception, and the reference to no object", () =>
      debugging((own) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const expected = {
            virtual: "SIGABRT: pure virtual method called",
            thread: "SIGABRT: a joinable std::thread was destroyed",
            handler: "SIGABRT: a joinable std::thread was destroyed",
            again: "SIGABRT: std::logic_error: not expected",
            reference: "SIGSEGV reading 4 bytes at NULL + 16"
          }
          for (const [kind, summary] of Object.entries(expected)) {
            const { found } = yield* explainCrash(own, adapter, "terminates", kind)
            assert.strictEqual(found.summary, summary, kind)
            const mark = kind === "handler" ? "thread" : kind
            assert.strictEqual(found.user_frame?.line, line("terminates.cpp", mark), kind)
            const expression = factOf(found, "expression")?.text
            assert.strictEqual(expression, kind === "reference" ? "node.weights[2]: &node = NULL" : undefined, kind)
          }
        })
      )
    )
  })
}

/** What `explain` says of each crash of `wrong_objects.cpp`: the expression with its values; undefined where it names none. */
const wrongObjects: { readonly [kind: string]: string | RegExp | undefined } = {
  unique: "account.shape->tag: account.shape = NULL",
  shared: "last->tag: last = NULL",
  // The first word of the object is the state of the deleter, not the pointer.
  deleter: undefined,
  virtual: "shape->area(): shape = NULL",
  table: /^shape->area\(\): shape = 0x[0-9a-f]+, vtable pointer of \*shape = 0x5a5a5a5a5a5a5a5a/,
  element: /^values\[index\]: index = 1099511627776, values = 0x[0-9a-f]+, not mapped/,
  member: "account->owner.size(): account = NULL",
  reference: /^account\.entries\.size\(\): &account = NULL/
}

/** Defines the tests of crashes by wrong objects of C++ with one adapter. */
export const wrongObjectTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(
    `explain of objects, under ${adapter}`,
    (it) => {
      it.effect("names the pointer in a smart pointer, the object of a virtual call and of a library's function", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            for (const [kind, expected] of Object.entries(wrongObjects)) {
              const { found } = yield* explainCrash(own, adapter, "wrong_objects", kind)
              assert.strictEqual(found.user_frame?.line, line("wrong_objects.cpp", kind), kind)
              const text = factOf(found, "expression")?.text
              if (expected instanceof RegExp) assert.match(text ?? "", expected, kind)
              else assert.strictEqual(text, expected, kind)
            }
          })
        )
      )
    }
  )
}

/** An error of `sanitized.c` by compiler and option. */
interface Reported {
  readonly compiler: "gcc" | "clang"
  readonly option: "address" | "undefined" | "thread"
  readonly kind: string
  readonly mark: string
  readonly expected: Partial<Explained["sanitizer"] & object>
  readonly allocated?: true
  readonly freed?: true
}

const asan = { tool: "AddressSanitizer" }

/** The reports of sanitizers that are tested. */
const reports: ReadonlyArray<Reported> = (["gcc", "clang"] as const).flatMap((compiler): ReadonlyArray<Reported> => [
  {
    compiler,
    option: "address",
    kind: "heap",
    mark: "heap",
    expected: { ...asan, kind: "heap-buffer-overflow", access: "read", size: 4 },
    allocated: true
  },
  {
    compiler,
    option: "address",
    kind: "use",
    mark: "use",
    expected: { ...asan, kind: "heap-use-after-free", access: "read", size: 1 },
    allocated: true,
    freed: true
  },
  {
    compiler,
    option: "address",
    kind: "double",
    mark: "freed",
    expected: { ...asan, kind: "double-free" },
    allocated: true,
    freed: true
  },
  {
    compiler,
    option: "address",
    kind: "stack",
    mark: "stack",
    expected: { ...asan, kind: "stack-buffer-overflow", access: "read", size: 4 }
  },
  {
    compiler,
    option: "undefined",
    kind: "shift",
    mark: "shift",
    expected: { tool: "UndefinedBehaviorSanitizer", kind: "invalid-shift-exponent" }
  },
  { compiler, option: "thread", kind: "race", mark: "race", expected: { tool: "ThreadSanitizer", kind: "data race" } }
])

/** Returns the core file that a program leaves; undefined if the system gives core files to another program. */
const coreOf = Effect.fnUntraced(function* (program: string, kind: string) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  if ((yield* fs.readFileString("/proc/sys/kernel/core_pattern")).startsWith("|")) return undefined
  const directory = yield* fs.makeTempDirectoryScoped()
  const line = `ulimit -c unlimited; cd ${directory} && ${program} ${kind}`
  const env = { ASAN_OPTIONS: "abort_on_error=1:disable_coredump=0" }
  yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { env, extendEnv: true, stderr: "ignore" }))
  const core = (yield* fs.readDirectory(directory)).find((name) => name.startsWith("core"))
  return core === undefined ? undefined : `${directory}/${core}`
})

/** Defines the tests of core files of crashes with one adapter. */
export const coreTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(
    `explain of a core file, under ${adapter}`,
    (it) => {
      it.effect("says what the program did, and that no other thread got the signal", () =>
        debugging((own) =>
          Effect.gen(function* () {
            const { directory, line } = yield* Programs
            const program = `${directory}/faults`
            const expected = {
              breakpoint: /^SIGTRAP: a breakpoint instruction of the program/,
              large: /^SIGSEGV: stack overflow$/,
              returned: /^SIGSEGV executing 0x464544434241$/,
              trap: /^SIGILL: a trap of the compiler/
            }
            for (const [kind, summary] of Object.entries(expected)) {
              const file = yield* coreOf(program, kind)
              if (file === undefined) continue
              const opened = { file, program, adapter, replace: true, environment: own.environment }
              const { data } = yield* own.call("core", opened)
              assert.isUndefined(data.other_threads, kind)
              const found = (yield* own.call("explain", {})).data
              assert.match(found.summary, summary, kind)
              if (kind === "breakpoint") assert.strictEqual(found.user_frame?.line, line("faults.c", kind))
              const [, ...others] = (yield* own.call("threads", {})).data.threads
              for (const thread of others) assert.isUndefined(thread.stop_reason, kind)
            }
          })
        )
      )
    }
  )
}

/** Defines the tests of sanitizers with one adapter. */
export const sanitizerTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "300 seconds" })(
    `explain at a sanitizer's stop, under ${adapter}`,
    (it) => {
      for (const compiler of ["gcc", "clang"] as const) {
        it.effect(`of ${compiler} has the report, and where memory was allocated and freed`, () =>
          debugging((own) =>
            Effect.gen(function* () {
              const { directory, line, source } = yield* Programs
              const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
              for (const one of reports.filter((report) => report.compiler === compiler)) {
                const output = `${directory}/sanitized-${compiler}-${one.option}`
                const options = ["-g", "-pthread", `-fsanitize=${one.option}`, source("sanitized.c"), "-o", output]
                const code = yield* spawner.exitCode(ChildProcess.make(compiler, options))
                // Not every installation has the libraries of every sanitizer.
                if (code !== 0) continue
                const { found } = yield* explainCrash(own, adapter, output, one.kind)
                const name = `${compiler} ${one.kind}`
                assert.strictEqual(found.what, "sanitizer", name)
                assert.deepInclude(found.sanitizer, one.expected, name)
                const at = line("sanitized.c", one.mark)
                // LLDB cannot unwind through the library of gcc's ThreadSanitizer.
                if (one.option === "thread" && compiler === "gcc")
                  assert.include(factOf(found, "report")?.text, `sanitized.c:${at}`)
                else assert.strictEqual(found.user_frame?.line, at, name)
                if (one.option === "thread") {
                  const places = found.sanitizer?.accesses?.map(({ frames, locks }) => [frames[0]?.line, locks])
                  assert.deepStrictEqual(places, [
                    [at, 0],
                    [at, 0]
                  ])
                  assert.strictEqual(found.sanitizer?.object, "global 'shared' of size 4", name)
                }
                const first = (event: "allocated" | "freed") => found.sanitizer?.[event]?.frames[0]
                if (one.allocated)
                  assert.deepInclude(
                    first("allocated"),
                    { function: "make", line: line("sanitized.c", "allocated") },
                    name
                  )
                if (one.freed)
                  assert.deepInclude(first("freed"), { function: "drop", line: line("sanitized.c", "freed") }, name)
                const core = one.option === "address" ? yield* coreOf(output, one.kind) : undefined
                if (core === undefined) continue
                const opened = { file: core, program: output, adapter, replace: true, environment: own.environment }
                yield* own.call("core", opened)
                const kept = (yield* own.call("explain", {})).data
                assert.deepInclude(kept.sanitizer, one.expected, `core of ${name}`)
                assert.strictEqual(kept.user_frame?.line, at, name)
                assert.deepStrictEqual(
                  kept.sanitizer?.freed?.frames.map(({ line: number }) => number),
                  found.sanitizer?.freed?.frames.map(({ line: number }) => number)
                )
              }
            })
          )
        )
      }
    }
  )
}
