// `sigtrap doctor` takes seconds for each adapter, so each line is printed as soon as it is known.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as DoctorCommand from "../../src/commands/DoctorCommand.ts"

it.effect("doctor prints each adapter before its tests and their result after them", () =>
  Effect.gen(function* () {
    const printed: Array<string> = []
    const place = {
      directory: "/",
      environment: { PATH: "/nonexistent", HOME: "/nonexistent" },
      runtimeDirectory: undefined,
      print: (text: string) => Effect.sync(() => void printed.push(text))
    }
    const { data, problem, text } = yield* DoctorCommand.doctor(["codelldb"], place)
    const [system, ...adapters] = printed
    assert.match(system ?? "", /^$|^\w+: .+, .+/)
    assert.deepStrictEqual(adapters, ["codelldb  not found\n", "  remedy: sigtrap setup codelldb\n"])
    assert.strictEqual(text, "")
    assert.strictEqual(problem?.code, "TOOL_MISSING")
    assert(typeof data === "object" && data !== null && "adapters" in data)
  })
)
