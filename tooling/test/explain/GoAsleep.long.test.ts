/** `explain` where the runtime of Go ended the program because all goroutines are asleep, under Delve. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

const source = `package main

func produce(values chan<- int, done chan<- bool) {
	values <- 1
	done <- true
}

func main() {
	values, done := make(chan int), make(chan bool)
	go produce(values, done)
	for range values {
	}
	<-done
}
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain of a deadlock of Go", (it) => {
  it.effect("says what each goroutine waits for", () =>
    debugging(({ start, call }) =>
      Effect.gen(function* () {
        yield* needs("delve", "delve golang-go")
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-asleep-" })
        yield* fs.writeFileString(`${directory}/main.go`, source)
        const args = ["build", "-gcflags=all=-N -l", "-o", `${directory}/app`, `${directory}/main.go`]
        assert.strictEqual(yield* spawner.exitCode(ChildProcess.make("go", args)), 0, "go build")
        yield* start(`${directory}/app`, {})
        const { summary, tasks = [], user_frame: frame, what } = (yield* call("explain", {})).data
        assert.strictEqual(what, "exception")
        assert.include(summary, "all goroutines are asleep - deadlock!")
        assert.deepInclude(frame, { function: "main.main", line: 11 })
        assert.deepStrictEqual(
          tasks.map(({ frames: [first], wait }) => [first?.function, first?.line, wait]),
          [
            ["main.main", 11, "chan receive"],
            ["main.produce", 5, "chan send"]
          ]
        )
      })
    )
  )
})
