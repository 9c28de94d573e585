// Hints as calls of the tools that a client has.
import { assert, describe, it } from "@effect/vitest"
import { Hint, Payload } from "@sigtrap/protocol"
import { ErrorSamples } from "@sigtrap/protocol/testing"
import { Effect } from "effect"
import * as Catalogue from "../../src/tools/Catalogue.ts"
import * as HintText from "../../src/results/HintText.ts"
import * as Profile from "../../src/tools/Profile.ts"

const write = (hint: Hint.Hint, profile: Profile.Name = "default", input = {}) =>
  HintText.write({ profile, input })(hint)

describe("a hint", () => {
  it.each([
    [Hint.call("pause", {}), "call pause"],
    [Hint.call("locals", { start: 20 }), 'call locals with {"start":20}'],
    [Hint.call("breakpoint.info", { id: 3 }), 'call operate with {"operation":"breakpoint.info","input":{"id":3}}'],
    [Hint.call("wait", { timeout: "2m" }), 'call wait with {"timeout":"2m"}'],
    [Hint.help("break"), "see the fields of break"],
    [Hint.help("files"), "call operate with operation files alone"],
    [Hint.local("setup", ["lldb-dap"]), "a person can run: sigtrap setup lldb-dap"],
    [Hint.help("config"), "a person can run: sigtrap config --help"],
    [Hint.remedy("apt-get install lldb"), "apt-get install lldb"]
  ])("is what the client can do: %j", (hint, text) => {
    assert.strictEqual(write(hint), text)
  })

  it("repeats a text that the client has sent, and of any other only the name of its field", () => {
    const hint = Hint.call("print", { expressions: ["a"], frame: 2 })
    assert.strictEqual(
      write(hint, "default", { expressions: ["a"] }),
      'call print with {"expressions":["a"],"frame":2}'
    )
    assert.strictEqual(write(hint), 'call print with {"frame":2} and expressions')
    assert.strictEqual(write(Hint.call("print", { expressions: ["a"] })), "call print with expressions")
    assert.deepStrictEqual(HintText.shown([hint], { profile: "default", input: {} }), [
      { operation: "print", text: 'call print with {"frame":2} and expressions' }
    ])
  })

  it("is an action of its family where the profile has one", () => {
    assert.strictEqual(write(Hint.call("breakpoint.list", {}), "full"), 'call breakpoint with {"action":"list"}')
  })

  it("is an old tool for clients that know these alone", () => {
    assert.strictEqual(write(Hint.call("detach", {}), "xcode-compat"), "call debug_detach")
    assert.strictEqual(
      write(Hint.call("threads", {}), "xcode-compat"),
      'call debug_lldb_command with {"command":"thread list"}'
    )
    assert.strictEqual(write(Hint.help("start"), "xcode-compat"), "call debug_attach_sim")
    assert.strictEqual(write(Hint.call("sim.list", {}), "xcode-compat"), "read the resource sigtrap://simulators")
    assert.strictEqual(write(Hint.call("files", {}), "xcode-compat"), "a person can run: sigtrap files")
  })

  for (const profile of Profile.names) {
    it.effect(`of any error is a call that ${profile} has, with an input that its operation takes`, () =>
      Effect.gen(function* () {
        const tools = new Map(Catalogue.tools(profile).map((tool) => [tool.name, tool]))
        for (const error of [...ErrorSamples.all, ...ErrorSamples.inSession]) {
          for (const hint of error.hints) {
            // Whatever the hint names was sent by the client.
            const input = Hint.isCall(hint) ? hint.input : {}
            const text = write(hint, profile, input)
            assert.notInclude(text, "undefined")
            if (!Hint.isCall(hint) || hint.again === true || profile === "xcode-compat") continue
            if (!Profile.callable(profile).some(({ _tag }) => _tag === hint.operation)) {
              assert.match(text, /^a person can run: sigtrap /)
              continue
            }
            const [, name = "", sent = "{}"] = /^call (\w+)(?: with (.+))?$/.exec(text) ?? []
            const tool = tools.get(name) ?? assert.fail(text)
            const meant = yield* tool.resolve(JSON.parse(sent))
            assert.strictEqual(meant.operation._tag, hint.operation, text)
            assert.deepStrictEqual(meant.input, input)
            yield* Payload.decode(meant.operation, meant.input)
          }
        }
      })
    )
  }
})
