import { assert, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { FakeBackend } from "../src/testing/index.ts"
import { call, over } from "./support.ts"

/** A tracer that records the names of spans, each with the name of its parent. */
const recorder = () => {
  const names: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const parent =
        options.parent._tag === "Some" && options.parent.value._tag === "Span" ? options.parent.value.name : ""
      names.push(parent === "" ? options.name : `${parent} > ${options.name}`)
      return new Tracer.NativeSpan(options)
    }
  })
  return { names, tracer }
}

it.effect("a trace shows each operation with the steps of manager, session and breakpoints below it", () => {
  const { names, tracer } = recorder()
  return over(
    FakeBackend.make(),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      yield* call.break("app.c:10")
      yield* call.continue()
      yield* call.stop()
      assert.includeMembers(names, [
        "Operation.start",
        "Operation.start > Start.prepare",
        "Operation.start > Launch.launch",
        "Operation.start > Manager.begin",
        "Manager.begin > Session.start",
        "Session.start > Breakpoints.addAll",
        "Operation.break > Breakpoints.add",
        "Operation.continue > Manager.select",
        "Operation.continue > Session.resume",
        "Operation.stop > Manager.end",
        "Manager.end > Session.end"
      ])
    }).pipe(Effect.withTracer(tracer))
  )
})
