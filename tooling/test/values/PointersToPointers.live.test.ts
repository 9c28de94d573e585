/**
 * Pointers to pointers, on both LLDB backends. LLDB 19 uses the formatter of an object for a pointer to a pointer to it too, shows the
 * members of the object, and crashes for a `std::shared_ptr`. GDB shows the address, and `*name` as the target.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Expressions, with the name and the value of their only member. */
const pointers = [
  ["item2", "*item2", /^0x[\da-f]+ \{id:1, name:"x"\}$/],
  ["item3", "*item3", /^0x[\da-f]+$/],
  ["table.rows", "*rows", /^0x[\da-f]+ \{id:1, name:"x"\}$/],
  ["derived2", "*derived2", /^0x[\da-f]+ \{Base:\{.*\}, own:5\}$/],
  ["text2", "*text2", /^0x[\da-f]+ \{"hello"\}$/],
  ["list2", "*list2", /^0x[\da-f]+ \{3 \{1,2,3\}\}$/],
  ["map2", "*map2", /^0x[\da-f]+ \{1 \{1:2\}\}$/],
  ["owner2", "*owner2", /^0x[\da-f]+ \{0x[\da-f]+ \{3\} use_count=1\}$/],
  ["handle2", "*handle2", /^0x[\da-f]+ \{0x[\da-f]+ \{3\} use_count=1\}$/],
  ["number2", "*number2", /^0x[\da-f]+$/]
] as const

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("pointers to pointers", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have their target as the only member, under ${backend}`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("pointers", { backend, break: [`pointers.cpp:${line("pointers.cpp", "all")}`] })
          for (const [expression, name, value] of pointers) {
            const { children, parent } = (yield* call("expand", { target: expression })).data
            if (expression !== "handle2") assert.match(parent.value, /^0x[\da-f]+$/, expression)
            assert.deepStrictEqual(
              children.map((child) => child.name),
              [name]
            )
            assert.match(children[0]?.value ?? "", value)
          }
          // A reference to a pointer has what the pointer has.
          const referred = (yield* call("expand", { target: "referred" })).data.children
          assert.deepStrictEqual(
            referred.map(({ name }) => name),
            ["pointer"]
          )
          const { variables } = (yield* call("locals", {})).data
          for (const { name, value } of variables.filter(
            (one) => /[a-z0][23]$/.test(one.name) && !one.name.startsWith("handle")
          )) {
            assert.match(value, /^0x[\da-f]+$/, name)
          }
        })
      )
    )
  }
})
