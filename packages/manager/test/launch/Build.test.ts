/** Programs whose output is read: how much of it is kept. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { Build } from "../../src/launch/Build.ts"

/** A program that writes this many MiB and a last line. */
const writing = (mebibytes: number) => {
  const piece = new TextEncoder().encode("x".repeat(1024 * 1024))
  const stdout = Stream.fromIterable([
    ...Array.from({ length: mebibytes }, () => piece),
    new TextEncoder().encode("\nlast line\n")
  ])
  const spawner = ChildProcessSpawner.make(() =>
    Effect.succeed(
      ChildProcessSpawner.makeHandle({
        pid: ChildProcessSpawner.ProcessId(4000),
        exitCode: Effect.succeed(ChildProcessSpawner.ExitCode(0)),
        isRunning: Effect.succeed(false),
        kill: () => Effect.void,
        stdin: Sink.drain,
        stdout,
        stderr: Stream.empty,
        all: Stream.empty,
        getInputFd: () => Sink.drain,
        getOutputFd: () => Stream.empty,
        unref: Effect.succeed(Effect.void)
      })
    )
  )
  return Build.layer.pipe(Layer.provide(Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, spawner)))
}

const run = (mebibytes: number) =>
  Effect.provide(
    Build.use((build) => build.run(["tool"], { cwd: "/", env: {} })),
    writing(mebibytes)
  )

it.effect("standard output is kept up to a limit, the last lines always", () =>
  Effect.gen(function* () {
    const small = yield* run(1)
    assert.strictEqual(small.stdout.length, 1024 * 1024 + "\nlast line\n".length)
    const large = yield* run(33)
    assert.isAtMost(large.stdout.length, 2 * 1024 * 1024)
    assert.isTrue(large.tail.endsWith("last line"))
  })
)

it.effect("a command that the system refuses by a thrown error is one that cannot be started", () =>
  Effect.gen(function* () {
    const spawner = ChildProcessSpawner.make(() => Effect.die(new Error("spawn ENAMETOOLONG")))
    const error = yield* Build.use((build) => build.build("x".repeat(100_000), { cwd: "/", env: {} })).pipe(
      Effect.provide(Build.layer),
      Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
      Effect.flip
    )
    assert.strictEqual(error._tag, "LaunchFailed")
    assert.include(error.message, "its name or its arguments are too long")
    assert.isBelow(JSON.stringify(error).length, 10_000)
  })
)
