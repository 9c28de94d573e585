import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ProgramEnd from "../../src/console/lldb/ProgramEnd.ts"

const history = (packet: string) =>
  [
    "history[171] tid=0x3ba1 <   6> read packet: $W00;process:1#00",
    "history[172] tid=0x3b7f <  20> send packet: $vCont;c:p3ba0.-1#04",
    `history[173] tid=0x3b7f <  20> read packet: $${packet}#5b`,
    ""
  ].join("\n")

it.effect("an exit code that may stand for a signal is decided by the newest packet of the debug server", () =>
  Effect.gen(function* () {
    for (const [code, packet, expected] of [
      [9, "X09;process:3ba0", { _tag: "Exited", signal: "SIGKILL" }],
      [9, "W09;process:3ba0", { _tag: "Exited", exit_code: 9 }],
      [-1, "X09", { _tag: "Exited", signal: "SIGKILL" }],
      [34, "X22;process:1", { _tag: "Exited", signal: "signal 34" }],
      [11, "X0b;process:1", { _tag: "Exited", signal: "SIGSEGV" }]
    ] as const) {
      const end = ProgramEnd.of(code, () => Effect.succeed(history(packet))) ?? Effect.undefined
      assert.deepStrictEqual(yield* end, expected)
    }
    const on = (arch: string) =>
      ProgramEnd.of(31, (command) =>
        Effect.succeed(
          command === "target list"
            ? `Current targets:\n* target #0: /app ( arch=${arch}, platform=host, pid=1, state=exited )\n`
            : history("X1f;process:1")
        )
      ) ?? Effect.undefined
    assert.deepStrictEqual(yield* on("x86_64-pc-linux-gnu"), { _tag: "Exited", signal: "SIGSYS" })
    assert.deepStrictEqual(yield* on("arm64-apple-macosx"), { _tag: "Exited", signal: "signal 31" })
    const unknown = ProgramEnd.of(9, () => Effect.succeed("history[1] send packet: $X09#aa")) ?? Effect.die("not asked")
    assert.isUndefined(yield* unknown)
    const failed = ProgramEnd.of(9, () => Effect.fail("no such command")) ?? Effect.die("not asked")
    assert.isUndefined(yield* failed)
    for (const code of [undefined, 0, 65, 255]) assert.isUndefined(ProgramEnd.of(code, () => Effect.die("asked")))
  })
)
