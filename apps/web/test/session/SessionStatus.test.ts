import { assert, it } from "@effect/vitest"
import type { Actor } from "../../src/connection/Answers.ts"
import { watchWords } from "../../src/session/SessionStatus.ts"

it("those who watch are the other clients that are present", () => {
  const actor = (id: string, role: Actor["role"]): Actor => ({ id, kind: "http", role, name: id })
  const own = actor("own", "person")
  const [ann, bob, agent] = [actor("ann", "person"), actor("bob", "person"), actor("claude", "agent")]
  assert.deepStrictEqual(
    [[], [own], [own, ann], [own, ann, bob], [own, ann, agent]].map((clients) => watchWords(clients, "own")),
    [undefined, undefined, "person watches", "2 people watch", "agent watches"]
  )
})
