import { assert, describe, it } from "@effect/vitest"
import { nameOf } from "../../../src/session/words/ActorWords.ts"

describe("the name of an actor", () => {
  it("is that of the person, or where the person is", () => {
    const person = (name: string) => ({ id: `page:${name}`, kind: "page", role: "person", name }) as const
    assert.deepStrictEqual(
      ["bob", "pts/3", "ttys001", "127.0.0.1", "10.0.0.x"].map((name) => nameOf(person(name), "page:me")),
      ["person bob", "person on pts/3", "person on ttys001", "person on 127.0.0.1", "person 10.0.0.x"]
    )
    assert.strictEqual(nameOf(person("me"), "page:me"), "you")
    assert.strictEqual(nameOf({ id: "mcp:x", kind: "mcp", role: "agent", name: "x" }, "page:me"), "agent")
    assert.strictEqual(nameOf(undefined, "page:me"), "debugger")
  })
})
