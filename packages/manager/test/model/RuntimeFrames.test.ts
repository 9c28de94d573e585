import { assert, describe, it } from "@effect/vitest"
import * as RuntimeFrames from "../../src/model/RuntimeFrames.ts"

const frame = (name: string, place: { readonly file?: string; readonly module?: string } = {}) => ({
  function: name,
  ...place
})

describe("the runtime of a frame", () => {
  it.each([
    ["raise", { module: "/lib/x86_64-linux-gnu/libc.so.6" }, "libc"],
    ["___lldb_unnamed_symbol12", { module: "libc-2.31.so" }, "libc"],
    ["_dl_start", { module: "/lib64/ld-linux-x86-64.so.2" }, "libc"],
    ["_start", { module: "/src/app" }, "libc"],
    ["mach_msg2_trap", { module: "/usr/lib/system/libsystem_kernel.dylib" }, "libc"],
    ["std::thread::join()", { module: "libstdc++.so.6" }, "libstdc++"],
    ["std::mutex::lock()", { file: "/usr/include/c++/12/bits/std_mutex.h", module: "app" }, "libstdc++"],
    ["std::__1::mutex::lock()", { file: "/usr/lib/llvm-19/bin/../include/c++/v1/mutex", module: "app" }, "libc++"],
    ["__asan::ReportDoubleFree(unsigned long)", { file: "../../src/libsanitizer/asan/asan_report.cpp" }, "sanitizer"],
    ["__asan_report_load4", { module: "/src/app" }, "sanitizer"],
    ["core::panicking::panic_fmt", { file: "/rustc/59807616e1fa/library/core/src/panicking.rs" }, "Rust"],
    ["rust_panic", { module: "app" }, "Rust"],
    [
      "park",
      { file: "/src/.cargo/registry/src/index.crates.io-1949cf8c/tokio-1.47.1/src/runtime/park.rs" },
      "Rust runtime"
    ],
    ["select", { file: "/usr/share/cargo/registry/mio-0.8.4/src/sys/unix/mod.rs" }, "Rust runtime"],
    ["lock", { file: "/usr/share/cargo/registry/parking_lot_core-0.9.4/src/thread_parker/linux.rs" }, "Rust runtime"],
    ["runtime.gopanic", { file: "/usr/local/go/src/runtime/panic.go" }, "Go runtime"],
    ["sync.(*Mutex).Unlock", { file: "/usr/lib/go-1.19/src/sync/mutex.go" }, "Go library"],
    ["_mm_load_ps", { file: "/usr/lib/gcc/x86_64-linux-gnu/12/include/xmmintrin.h", module: "app" }, "compiler"],
    ["_mm_load_ps", { file: "/usr/lib/llvm-19/lib/clang/19/include/xmmintrin.h", module: "app" }, "compiler"],
    ["_find_and_load", { file: "<frozen importlib._bootstrap>" }, "Python"],
    ["loads", { file: "/usr/lib/python3.11/json/__init__.py" }, "Python"],
    ["processTicksAndRejections", { file: "node:internal/process/task_queues" }, "Node"],
    ["handleError", { file: "/app/node_modules/expect/build/index.js" }, "test runner"],
    ["Proxy.<anonymous>", { file: "/app/node_modules/.bun/chai@6.2.1/node_modules/chai/index.js" }, "test runner"]
  ])("is found for %s", (name, place, runtime) => {
    assert.strictEqual(RuntimeFrames.runtimeOf(frame(name, place)), runtime)
    assert.isFalse(RuntimeFrames.isUserFrame(frame(name, place)))
  })

  it.each([
    ["main", { file: "/src/app.c", module: "/src/app" }],
    ["test::run()", { file: "/src/core/test.cpp" }],
    ["parse", { file: "/usr/share/cargo/registry/serde_json-1.0.91/src/de.rs" }],
    ["tokio_like::run", { file: "/src/tokio-demo/src/main.rs" }],
    ["runtime.main", { file: "/src/runtime/main.go" }],
    ["main.main", { file: "/src/go/src/syncer/main.go" }],
    ["f", { file: "/src/clang/1/f.c", module: "app" }],
    ["handler", { file: "/src/.venv/lib/python3.11/site-packages/flask/app.py" }],
    ["start_thread", { file: "/src/threads.c" }],
    ["f", { file: "/src/libc.so.6/f.c", module: "app" }]
  ])("is absent for %s of a user", (name, place) => {
    assert.isUndefined(RuntimeFrames.runtimeOf(frame(name, place)))
    assert.isTrue(RuntimeFrames.isUserFrame(frame(name, place)))
  })

  it("is counted in the order of its first frame", () => {
    const frames = [frame("raise", { module: "libc.so.6" }), frame("f"), frame("abort", { module: "libc.so.6" })]
    assert.deepStrictEqual(RuntimeFrames.countByRuntime(frames), [
      { what: "libc", count: 2 },
      { what: "other", count: 1 }
    ])
  })
})

describe("the frames of a chain without source", () => {
  const libc = { module: "libc.so.6" }
  const abort = [frame("??", libc), frame("raise", libc), frame("abort", libc), frame("cmp", { module: "app" })]

  it("are those of the program, and the innermost one with a name", () => {
    const folded = RuntimeFrames.foldedWithoutUser([...abort, frame("_start", { module: "app" })])
    assert.deepStrictEqual(
      [...folded].map((one) => one.function),
      ["??", "abort", "_start"]
    )
  })

  it("are all if one has source", () => {
    assert.strictEqual(RuntimeFrames.foldedWithoutUser([...abort, frame("main", { file: "/src/app.c" })]).size, 0)
  })
})

describe("the cause of a stop", () => {
  it.each([
    [["raise", "abort", "__assert_fail"], { reason: "assert" }],
    [
      ["__rustc::rust_panic", "std::panicking::resume_unwind", "std::panic::resume_unwind"],
      { reason: "panic", description: "resumed by resume_unwind, without a message" }
    ],
    [["operator()", "Catch::AssertionHandler::complete()"], { reason: "assert" }],
    [["__rust_start_panic", "rust_panic", "core::panicking::panic_fmt"], { reason: "panic" }],
    [["runtime.fatalpanic", "runtime.gopanic"], { reason: "panic" }],
    [
      ["__sanitizer::Die()", "__asan::ReportDoubleFree(unsigned long, __sanitizer::BufferedStackTrace*)"],
      { reason: "sanitizer", description: "AddressSanitizer: double free" }
    ],
    [
      ["__ubsan::__ubsan_on_report()", "__ubsan::__ubsan_handle_add_overflow_abort(__ubsan::OverflowData *)"],
      { reason: "sanitizer", description: "UndefinedBehaviorSanitizer: add overflow" }
    ],
    [["__asan::AsanDie()"], { reason: "sanitizer" }],
    [
      ["__sanitizer::Die()", "__tsan::OutputReport(__tsan::ThreadState*)", "__tsan::ReportRace(__tsan::ThreadState*)"],
      { reason: "sanitizer", description: "ThreadSanitizer: race" }
    ],
    [
      ["__tsan::OutputReport(__tsan::ThreadState*)", "__tsan::ReportDeadlock(__tsan::ThreadState*)"],
      { reason: "sanitizer", description: "ThreadSanitizer: lock-order-inversion" }
    ],
    [["__tsan::OutputReport", "__tsan::MutexUnlock"], { reason: "sanitizer", description: "ThreadSanitizer" }],
    [
      ["__sanitizer::Die()", "__msan_warning_with_origin_noreturn"],
      { reason: "sanitizer", description: "MemorySanitizer: use-of-uninitialized-value" }
    ],
    [
      ["__sanitizer::Die()", "__lsan::HandleLeaks()", "__lsan::DoLeakCheck()"],
      { reason: "sanitizer", description: "LeakSanitizer: detected memory leaks" }
    ],
    [
      ["__asan::ReportDeadlySignal(__sanitizer::SignalContext const&)", "__sanitizer::HandleDeadlySignal(void*)"],
      { reason: "sanitizer", description: "AddressSanitizer: deadly signal" }
    ],
    [
      ["__sanitizer::Die()", "__sanitizer::HandleDeadlySignal(void*)"],
      { reason: "sanitizer", description: "sanitizer: deadly signal" }
    ],
    // The allocator of a sanitizer runs without an error.
    [
      ["__asan::QuarantineCallback::Recycle(__asan::AsanChunk*)", "__asan::Allocator::Allocate(unsigned long)"],
      undefined
    ],
    [["__interceptor_strlen"], undefined],
    [["abort", "std::__glibcxx_assert_fail(char const*, int, char const*, char const*)"], { reason: "assert" }],
    [["abort", "std::__1::__libcpp_verbose_abort(char const*, ...)"], { reason: "assert" }],
    [["raise", "abort"], undefined],
    [["my_panic", "__assert_failed_here"], undefined]
  ])("of %j", (names, cause) => {
    assert.deepEqual(RuntimeFrames.causeOf(names.map((name) => frame(name))), cause)
  })
})

it("the kind of a sanitizer's error has no place", () => {
  for (const place of ["/src/a.cpp:14:78 in inc()", "(/src/app+0x7113a) (BuildId: 4ff1) in pthread_mutex_unlock"]) {
    const kind = "unlock of an unlocked mutex (or by a wrong thread)"
    assert.strictEqual(RuntimeFrames.sanitizerKind(`${kind} ${place}`), kind)
  }
  assert.strictEqual(RuntimeFrames.sanitizerKind("data race"), "data race")
  assert.strictEqual(RuntimeFrames.sanitizerKind("undefined-behavior ../a.c:3:12 in"), "undefined-behavior")
  assert.strictEqual(RuntimeFrames.sanitizerKind("double-free a.c:3 in drop"), "double-free")
})

it("takes a panic for caught if the program catches it, not if its runtime does", () => {
  const isCaught = (...names: ReadonlyArray<string>) => RuntimeFrames.isCaughtPanic(names.map((name) => frame(name)))
  const runtime = ["std::sys::backtrace::__rust_begin_short_backtrace::h0b", "std::panic::catch_unwind", "main"]
  assert.isTrue(
    isCaught("__rustc::rust_panic", "app::fail", "std::panicking::catch_unwind::h01", "app::main", ...runtime)
  )
  assert.isTrue(isCaught("rust_panic", "app::fail", "std::panicking::try::do_call", "app::main", ...runtime))
  assert.isFalse(isCaught("__rustc::rust_panic", "app::fail", "app::main", ...runtime))
  assert.isFalse(isCaught("__rustc::rust_panic", "app::retry", "app::main"))
})
