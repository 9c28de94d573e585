/**
 * Recognizes frames of a language's runtime, which are folded in stacks, and what they say about a stop.
 *
 * The tables name the shared libraries, source folders and functions of each runtime. A frame of the user is one with
 * source outside them.
 */
import type { Frame, Stop } from "@sigtrap/protocol"

/** The parts of a frame that are compared. */
export type Place = Pick<Frame.Frame, "function" | "file" | "module">

/** A runtime, and how its frames are recognized. Each pattern is optional; one match suffices. */
interface Runtime {
  readonly name: string
  /** Matches the file name of the module. */
  readonly module?: RegExp
  /** Matches the path of the source file. */
  readonly file?: RegExp
  /** Matches the name of a function without source, also of one that is linked into the program. */
  readonly function?: RegExp
}

/** The first match names the runtime. */
const runtimes: ReadonlyArray<Runtime> = [
  {
    name: "sanitizer",
    module: /^lib(?:asan|ubsan|tsan|lsan|msan|hwasan|clang_rt\.)/,
    file: /[\\/](?:libsanitizer|compiler-rt)[\\/]/,
    function:
      /^(?:::)?(?:__(?:asan|ubsan|tsan|lsan|msan|hwasan|sanitizer|sancov|interception)(?:_|::)|__interceptor_|printf_common\(|(?:void )?[hH]andle[A-Z]\w+[<(].*\b__ubsan::)/
  },
  {
    name: "libstdc++",
    module: /^libstdc\+\+/,
    file: /[\\/]include[\\/](?:[^\\/]+[\\/])?c\+\+[\\/]\d|[\\/]libstdc\+\+-v3[\\/]/
  },
  { name: "libc++", module: /^libc\+\+/, file: /[\\/]c\+\+[\\/]v1[\\/]|[\\/]libcxx(?:abi)?[\\/]/ },
  {
    name: "Rust",
    module: /^libstd-[0-9a-f]+\./,
    file: /^\/rustc\/[0-9a-f]+\/|^\/rust\/deps\/|[\\/]rustlib[\\/]src[\\/]rust[\\/]/,
    function: /^rust_(?:panic|begin_unwind)|^__rust_/
  },
  // Crates that run futures, poll descriptors and park threads, in the folders of cargo: `tokio-1.47.1/src/park.rs`.
  {
    name: "Rust runtime",
    file: /[\\/](?:tokio|mio|polling|smol|rayon-core|parking|parking_lot(?:_core)?|lock_api|event-listener|(?:async|crossbeam|futures)-[a-z-]+|async-std)-\d+\.\d[^\\/]*[\\/]src[\\/]/
  },
  {
    name: "Go runtime",
    file: /[\\/]go[^\\/]*(?:[\\/]libexec)?[\\/]src[\\/](?:internal[\\/])?runtime[\\/]/
  },
  // Packages of the standard library; GOPATH has a folder `src` too.
  {
    name: "Go library",
    file: /[\\/]go[^\\/]*(?:[\\/]libexec)?[\\/]src[\\/](?:archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|slices|sort|strconv|strings|sync|syscall|text|time|unicode|unique|unsafe|vendor|weak)[\\/]/
  },
  { name: "Go testing", file: /[\\/]go[^\\/]*(?:[\\/]libexec)?[\\/]src[\\/]testing[\\/]/ },
  {
    name: "GoogleTest",
    module: /^libg(?:test|mock)/,
    file: /[\\/](?:googletest|googlemock|gtest)[\\/]/,
    function: /^testing::(?:internal|Test|TestInfo|TestSuite|UnitTest|TestEventListener|AssertionResult)(?:::|$)/
  },
  { name: "Catch2", module: /^libCatch2/i, file: /[\\/]catch2[\\/]/i },
  // Headers of GCC and Clang, such as those of vector instructions.
  { name: "compiler", file: /[\\/](?:gcc[\\/][^\\/]+|clang)[\\/]\d[\d.]*[\\/]include[\\/](?!c\+\+)/ },
  {
    name: "Python",
    file: /^<frozen |[\\/]lib[\\/]python\d[\d.]*[\\/](?!(?:site|dist)-packages[\\/])|[\\/](?:site|dist)-packages[\\/]_?pytest[\\/]/
  },
  { name: "Node", file: /^node:|^<node_internals>/ },
  {
    name: "test runner",
    file: /[\\/]node_modules[\\/](?:@vitest|@jest|vitest|chai|mocha|expect|expect-utils|jest-[\w-]+)[\\/]|[\\/]sigtrap[\\/]tests[\\/](?:failures\.cjs|(?:sigtrap_failures|unittest_runner)\.py)$/
  },
  {
    name: "libc",
    module:
      /^(?:libc|libm|libdl|librt|libpthread|libgcc_s|libunwind|ld-linux[^.]*|ld-musl[^.]*|ld|libresolv|libnss_\w+)(?:-[\d.]+)?\.so|^\[vdso\]$|^(?:libsystem_\w+|libdyld|libobjc)(?:\.A)?\.dylib$|^dyld$/,
    file: /^\/usr\/include\/|[\\/]glibc[^\\/]*[\\/]|[\\/]sysdeps[\\/]/,
    function: /^(?:_start|__libc_start_(?:main(?:_impl)?|call_main)|start_thread|clone3?|__clone3?)$/
  }
]

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

/** Returns the name of the runtime that a frame belongs to; undefined for a frame of the program. */
export const runtimeOf = ({ file, function: name, module }: Place): string | undefined =>
  runtimes.find(
    (runtime) =>
      (file !== undefined && runtime.file?.test(file) === true) ||
      (module !== undefined && runtime.module?.test(baseName(module)) === true) ||
      (file === undefined && runtime.function?.test(name) === true)
  )?.name

/** True if a frame has source that belongs to no runtime. A relative path is one of another machine. */
export const isUserFrame = (frame: Place): boolean =>
  frame.file !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(frame.file) && runtimeOf(frame) === undefined

/** True if the function has a name in the symbol table. LLDB numbers the others. */
export const isNamed = ({ function: name }: Place): boolean =>
  !/^(?:___\w+_unnamed_symbol|0x[0-9a-f]+$|\?\?$)/.test(name)

/**
 * Returns the frames that a call chain leaves out if none of them has source: those of runtimes, except the innermost one with
 * a name.
 */
export const foldedWithoutUser = <Listed extends Place>(frames: ReadonlyArray<Listed>): ReadonlySet<Listed> => {
  if (frames.some(({ file }) => file !== undefined)) return new Set()
  const kept = frames.find(isNamed)
  return new Set(frames.filter((frame) => frame !== kept && runtimeOf(frame) !== undefined))
}

/** Counts frames by runtime, in the order of their first frame. Frames of no known runtime count as "other". */
export const countByRuntime = (frames: ReadonlyArray<Place>): ReadonlyArray<Stop.FoldedFrames> => {
  const counts = new Map<string, number>()
  for (const frame of frames) {
    const what = runtimeOf(frame) ?? "other"
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return Array.from(counts, ([what, count]) => ({ what, count }))
}

/** What frames of a runtime say about a stop: its reason, and a description if the function's name has one. */
export interface Cause {
  readonly reason: Extract<Stop.StopReason, "assert" | "panic" | "sanitizer">
  readonly description?: string
}

/** The function that writes the error which `main` or a test of Rust returned; nothing else calls it (library/std/src/io/stdio.rs). */
const returnedError = /^std::io::stdio::attempt_print_to_stderr(?:::|$)/

/** True for the frame of the function that writes the error which `main` or a test of Rust returned. */
export const writesReturnedError = ({ function: name }: Place): boolean => returnedError.test(name)

/** A function whose frame tells why the program stopped. `description` is made of the pattern's groups. */
interface CauseRule {
  readonly reason: Cause["reason"]
  readonly function: RegExp
  readonly description?: (group: string) => string
}

/** `heapUseAfterFree` and `heap_use_after_free` as words. */
const words = (name: string) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .replace(/ v\d+$/, "")
    .toLowerCase()

/** Later rules are more general. */
const causes: ReadonlyArray<CauseRule> = [
  {
    reason: "sanitizer",
    function: /^__asan::Report(\w+?)(?:\(|$)/,
    description: (kind) => (kind === "GenericError" ? "AddressSanitizer" : `AddressSanitizer: ${words(kind)}`)
  },
  {
    reason: "sanitizer",
    function: /__ubsan_handle_(\w+?)(?:_minimal)?(?:_abort)?(?:\(|$)/,
    description: (kind) => `UndefinedBehaviorSanitizer: ${words(kind)}`
  },
  { reason: "sanitizer", function: /^__tsan::ReportRace()(?:\(|$)/, description: () => "ThreadSanitizer: race" },
  {
    reason: "sanitizer",
    function: /^__tsan::ReportDeadlock()(?:\(|$)/,
    description: () => "ThreadSanitizer: lock-order-inversion"
  },
  {
    reason: "sanitizer",
    function: /^(?:__tsan::)?(?:OutputReport|ReportRace|__tsan_on_report)()(?:\(|$)/,
    description: () => "ThreadSanitizer"
  },
  {
    reason: "sanitizer",
    function: /^__msan_warning(?:_with_origin)?(?:_noreturn)?()(?:\(|$)/,
    description: () => "MemorySanitizer: use-of-uninitialized-value"
  },
  {
    reason: "sanitizer",
    function: /^__lsan::HandleLeaks()(?:\(|$)/,
    description: () => "LeakSanitizer: detected memory leaks"
  },
  // Each sanitizer calls it; AddressSanitizer names itself in another frame.
  {
    reason: "sanitizer",
    function: /^__sanitizer::HandleDeadlySignal()(?:\(|$)/,
    description: () => "sanitizer: deadly signal"
  },
  // Other functions of a sanitizer run without an error too, such as its allocator.
  { reason: "sanitizer", function: /^__(?:asan|msan|lsan|hwasan|sanitizer)::(?:\w*Die|Report\w+|Abort)(?:\(|$)/ },
  { reason: "sanitizer", function: /^__ubsan::__ubsan_on_report(?:\(|$)/ },
  // Of libstdc++ with _GLIBCXX_ASSERTIONS, inline before GCC 13, and of libc++.
  {
    reason: "assert",
    function:
      /^std::(?:__\w+::)?__(?:glibcxx_assert_fail|replacement_assert|libcpp_(?:verbose_abort|assertion_handler))(?:\(|$)/
  },
  { reason: "assert", function: /^(?:__assert_fail(?:_base)?|__assert_rtn|__assert_perror_fail|__assert)$/ },
  {
    reason: "panic",
    // The hook that writes the message of a panic is not called here. The newest message is of an earlier one.
    function: /^std::(?:panic::resume_unwind|panicking::(?:rust_panic_without_hook|resume_unwind))()(?:::|$|\(|<)/,
    description: () => "resumed by resume_unwind, without a message"
  },
  {
    reason: "panic",
    function:
      /^(?:(?:__rustc::|std::panicking::)?rust_panic|core::panicking::panic\w*|std::panicking::begin_panic\w*)(?:::|$|\()/
  },
  { reason: "panic", function: /^runtime\.(?:gopanic|fatalpanic|fatalthrow)$/ },
  // A test that panics fails too.
  { reason: "assert", function: /^testing\.\(\*common\)\.Fail$/ },
  { reason: "assert", function: returnedError, description: () => "an error was returned" },
  { reason: "assert", function: /^testing::UnitTest::AddTestPartResult(?:\(|$)/ },
  { reason: "assert", function: /^Catch::AssertionHandler::complete(?:\(|$)/ }
]

/** Returns the frames of runtimes, and those without a name, that are nearer to the stop than any frame of the program. */
export const withinRuntimes = <Listed extends Place>(frames: ReadonlyArray<Listed>): ReadonlyArray<Listed> => {
  const end = frames.findIndex((frame) => isNamed(frame) && runtimeOf(frame) === undefined)
  return end < 0 ? frames : frames.slice(0, end)
}

/** Returns what the frames between the innermost one and the user's say about the stop. */
export const causeOf = (frames: ReadonlyArray<Place>): Cause | undefined => {
  for (const rule of causes) {
    for (const { function: name } of frames) {
      const match = rule.function.exec(name.replace(/^::/, ""))
      if (match === null) continue
      const [, group = ""] = match
      return {
        reason: rule.reason,
        ...(rule.description === undefined ? {} : { description: rule.description(group) })
      }
    }
  }
  return undefined
}

/**
 * True if the program catches the panic of Rust at which it stops: a function that catches is nearer to the panic than the function in
 * which a runtime calls the code of the user.
 */
export const isCaughtPanic = (frames: ReadonlyArray<Place>): boolean => {
  const names = frames.map(({ function: name }) => name)
  const found = names.find((name) => /\b(?:catch_unwind|__rust_begin_short_backtrace)\b|::panicking::try\b/.test(name))
  return found !== undefined && !found.includes("__rust_begin_short_backtrace")
}

/** Returns the kind of error in the summary of a sanitizer: the words before the place, which may be an offset in a module. */
export const sanitizerKind = (summary: string): string =>
  summary.split(/ (?:\(?\/|\.\.?\/|\S+:\d+(?::\d+)? in\b)/)[0] ?? summary

/** Returns the summary of a sanitizer without the number of the build, which clang adds. */
export const withoutBuild = (summary: string): string => summary.replace(/ \(BuildId: [0-9a-f]+\)/, "")
