/** Reports of data races, as ThreadSanitizer of gcc 12 and of clang 14 writes them. */
import { assert, it } from "@effect/vitest"
import * as RaceReport from "../../../src/model/crashes/RaceReport.ts"

const gcc = `==================
WARNING: ThreadSanitizer: data race (pid=2370)
  Read of size 4 at 0x7b0400000004 by thread T1 (mutexes: write M9, read M3):
    #0 bump /src/race.cpp:7 (race+0x12a3)
    #1 operator() /src/race.cpp:11 (race+0x1368)
    #2 __invoke_impl<void, main()::<lambda()> > /usr/include/c++/12/bits/invoke.h:61 (race+0x196a)
    #7 <null> <null> (libstdc++.so.6+0xd44a2)

  Previous write of size 4 at 0x7b0400000004 by main thread:
    #0 reset /src/race.cpp:8 (race+0x1318)
    #1 main /src/race.cpp:12 (race+0x1418)

  Location is heap block of size 8 at 0x7b0400000000 allocated by main thread:
    #0 operator new(unsigned long) ../../../../src/libsanitizer/tsan/tsan_new_delete.cpp:64 (libtsan.so.2+0x87323)
    #1 main /src/race.cpp:10 (race+0x13b1)

  Thread T1 (tid=2372, running) created by main thread at:
    #0 pthread_create ../../../../src/libsanitizer/tsan/tsan_interceptors_posix.cpp:1001 (libtsan.so.2+0x5e686)
    #1 main /src/race.cpp:9 (race+0x13ab)

SUMMARY: ThreadSanitizer: data race /src/race.cpp:7 in bump
==================
`

const clang = `==================
WARNING: ThreadSanitizer: data race (pid=9)
  Read of size 4 at 0x55cc1274a6a8 by main thread:
    #0 main /src/flag.cpp:7:14 (flag+0xd4365) (BuildId: f7e2)

  Previous atomic write of size 4 at 0x55cc1274a6a8 by thread T1:
    #0 std::__atomic_base<int>::store(int, std::memory_order) /usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/atomic_base.h:464:2 (flag+0xd4) (BuildId: f7e2)
    #1 main::$_0::operator()() const /src/flag.cpp:6:27 (flag+0xd4965) (BuildId: f7e2)

  Location is global 'flag' of size 4 at 0x55cc1274a6a8 (flag+0x14fd6a8)

SUMMARY: ThreadSanitizer: data race /src/flag.cpp:7:14 in main
`

it("reads both accesses, the memory and its allocation", () => {
  assert.deepStrictEqual(RaceReport.parse(gcc), {
    kind: "data race",
    accesses: [
      {
        access: "read",
        size: 4,
        address: "0x7b0400000004",
        thread: 1,
        locks: 2,
        frames: [
          { function: "bump", file: "/src/race.cpp", line: 7, module: "race" },
          { function: "operator()", file: "/src/race.cpp", line: 11, module: "race" }
        ],
        os_id: 2372
      },
      {
        access: "write",
        size: 4,
        address: "0x7b0400000004",
        thread: 0,
        locks: 0,
        frames: [
          { function: "reset", file: "/src/race.cpp", line: 8, module: "race" },
          { function: "main", file: "/src/race.cpp", line: 12, module: "race" }
        ]
      }
    ],
    object: "heap block of size 8",
    allocated: { thread: 0, frames: [{ function: "main", file: "/src/race.cpp", line: 10, module: "race" }] }
  })
})

it("reads columns, atomic accesses and global variables", () => {
  const found = RaceReport.parse(`${gcc}${clang}`)
  assert.deepStrictEqual(
    found?.accesses.map(({ access, atomic, frames: [first], thread }) => [access, atomic, thread, first?.line]),
    [
      ["read", undefined, 0, 7],
      ["write", true, 1, 6]
    ]
  )
  assert.strictEqual(found?.object, "global 'flag' of size 4")
  assert.isUndefined(found?.allocated)
})

it("reads nothing from a part of a report", () => {
  assert.isUndefined(RaceReport.parse(""))
  assert.isUndefined(RaceReport.parse(gcc.slice(0, gcc.indexOf("SUMMARY"))))
  assert.isUndefined(RaceReport.parse(gcc.slice(gcc.indexOf("  Previous"))))
  assert.isUndefined(RaceReport.parse(clang.replace("Previous atomic write", "Previous")))
})

/** The report of a kind, with lines after the first one. */
const report = (kind: string, ...lines: ReadonlyArray<string>) =>
  RaceReport.parse(
    [
      `WARNING: ThreadSanitizer: ${kind} (pid=9)`,
      ...lines,
      "",
      `SUMMARY: ThreadSanitizer: ${kind} /src/a.cpp:1 in f`
    ].join("\n")
  )

it("reads the locks of a wrong order", () => {
  const found = report(
    "lock-order-inversion (potential deadlock)",
    "  Cycle in lock order graph: M0 (0x55770) => M1 (0x55798) => M0",
    "",
    "  Mutex M1 acquired here while holding mutex M0 in thread T1:",
    "    #0 pthread_mutex_lock <null> (a+0x7211a) (BuildId: 25d9)",
    "    #1 ahead() /src/a.cpp:34:89 (a+0xd9f61) (BuildId: 25d9)",
    "",
    "  Mutex M0 acquired here while holding mutex M1 in main thread:",
    "    #0 back() /src/a.cpp:35:89 (a+0xd9f61) (BuildId: 25d9)"
  )
  assert.deepStrictEqual(found, {
    kind: "lock-order-inversion (potential deadlock)",
    accesses: [],
    order: [
      {
        thread: 1,
        held: "0x55770",
        locked: "0x55798",
        frames: [{ function: "ahead()", file: "/src/a.cpp", module: "a", line: 34 }]
      },
      {
        thread: 0,
        held: "0x55798",
        locked: "0x55770",
        frames: [{ function: "back()", file: "/src/a.cpp", module: "a", line: 35 }]
      }
    ]
  })
})

it("reads where freed memory was used and freed, and one access", () => {
  const found = report(
    "heap-use-after-free",
    "  Read of size 4 at 0x7b0c00000000 by main thread:",
    "    #0 peek(int*) /src/a.cpp:22:53 (a+0xd5649) (BuildId: 25d9)",
    "",
    "  Previous write of size 8 at 0x7b0c00000000 by thread T1:",
    "    #0 free <null> (a+0x533c4) (BuildId: 25d9)",
    "    #1 drop(int*) /src/a.cpp:21:47 (a+0xd5605) (BuildId: 25d9)"
  )
  assert.deepStrictEqual(
    found?.accesses.map(({ access, size, thread }) => ({ access, size, thread })),
    [{ access: "read", size: 4, thread: 0 }]
  )
  assert.deepStrictEqual(found?.freed, {
    thread: 1,
    frames: [{ function: "drop(int*)", file: "/src/a.cpp", module: "a", line: 21 }]
  })
})

it("reads both accesses of a race on a virtual table, and where a thread was created that was not joined", () => {
  const race = report(
    "data race on vptr (ctor/dtor vs virtual call)",
    "  Write of size 8 at 0x7b04 by main thread:",
    "    #0 Base::~Base() /src/a.cpp:23:53 (a+0x1)",
    "",
    "  Previous read of size 8 at 0x7b04 by thread T1:",
    "    #0 run() /src/a.cpp:40:73 (a+0x2)"
  )
  assert.deepStrictEqual(
    race?.accesses.map(({ access }) => access),
    ["write", "read"]
  )
  const leak = report(
    "thread leak",
    "  Thread T1 (tid=3, finished) created by main thread at:",
    "    #0 pthread_create <null> (a+0x5458d)",
    "    #1 main /src/a.cpp:37:40 (a+0xd6082)"
  )
  assert.deepStrictEqual(leak?.created, {
    thread: 1,
    frames: [{ function: "main", file: "/src/a.cpp", module: "a", line: 37 }]
  })
})
