/**
 * The text of an object shows the members of its members, unnamed ones too, on both LLDB backends. LLDB's own text leaves them out, and
 * shows structures named Point, Rect and RGBColor by the members that the Macintosh Toolbox gave them, and an int named BOOL as YES or NO.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** Variables in hexadecimal numbers: a string has none, and a pointer has the address only. */
const hexadecimal: { readonly [name: string]: string } = {
  color: "{red:0x1, green:0x2, blue:0x3, alpha:0xff}",
  segment: "{from:{v:0x1, h:0x2, depth:0x3}, to:{v:0x4, h:0x5, depth:0x6}}",
  word: "{kind:0x1, {number:0x41, letter:0x41}, {low:0x3, high:0x4}}",
  bytes: "2 {0x1, 0xc8}",
  offsets: "2 {0xff, 0x41}",
  handler: "{code:0x3, known:0x1, open:ADDRESS}",
  memory: "{0x2, 0x3}",
  text: '"text"',
  letter: "0xc8"
}

/** Variables, and their text without addresses and lines. */
const values: { readonly [name: string]: string } = {
  color: "{red:1, green:2, blue:3, alpha:255}",
  rect: "{x:1, y:2, w:3, h:4}",
  point: "{v:5, h:6, depth:7}",
  pointer: "ADDRESS {v:5, h:6, depth:7}",
  indirect: "ADDRESS",
  reference: "ADDRESS {v:5, h:6, depth:7}",
  segment: "{from:{v:1, h:2, depth:3}, to:{v:4, h:5, depth:6}}",
  to_segment: "ADDRESS {from:{v:1, h:2, depth:3}, to:{v:4, h:5, depth:6}}",
  word: "{kind:1, {number:65, letter:'A'}, {low:3, high:4}}",
  owner: "{nothing:{}, segments:2 {{from:{v:1, h:2, depth:3}, to:{v:4, h:5, …}},…}, …}",
  circle: "{Shape:{origin:{v:1, h:2, depth:3}}, radius:2.5}",
  bytes: "2 {1,200}",
  text: '"text"',
  texts: '1 {ADDRESS {"text"}}',
  offsets: "2 {-1,65}",
  link: "{next:ADDRESS, at:{v:1, h:2, depth:3}}",
  links: "{ADDRESS, 0x0}",
  referring: "{segment:{from:{v:1, h:2, depth:3}, to:{v:4, h:5, depth:6}}, known:256}",
  handler: "{code:3, known:true, open:(opened at nested_objects.cpp:LINE)}",
  code: "200 '\\xc8'",
  letter: process.arch === "x64" ? "-56 '\\xc8'" : "200 '\\xc8'",
  memory: "{2, 3}",
  tail: "ADDRESS {length:2, items:{…}}",
  function: "ADDRESS (doubled<double> at nested_objects.cpp:LINE)",
  inside: "ADDRESS ((anonymous namespace)::hidden at nested_objects.cpp:LINE)",
  named: "ADDRESS (cooperator<int> at nested_objects.cpp:LINE)",
  numbers: "{100, -200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200}",
  nowhere: "{list:0x1 {<unreadable>}, text:0x1 {<unreadable>}}",
  shape: "ADDRESS {Shape:{origin:{v:1, h:2, depth:3}}, radius:2.5}"
}

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the text of an object", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`shows the members of its members (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const stop = `nested_objects.cpp:${line("nested_objects.cpp", "nested objects")}`
          yield* start("nested_objects", { backend, break: [stop] })
          const { variables } = (yield* call("locals", {})).data
          const shown = variables.map(({ name, value }) => [
            name,
            value.replaceAll(/0x[0-9a-f]{2,}/g, "ADDRESS").replace(/(?<=cpp:)\d+/, "LINE")
          ])
          assert.deepStrictEqual(Object.fromEntries(shown), values)
          const members = (target: string) =>
            Effect.map(call("expand", { target }), ({ data }) => data.children.map(({ value }) => value))
          assert.deepStrictEqual(yield* members("color"), ["1", "2", "3", "255"])
          assert.deepStrictEqual(yield* members("word"), ["1", "{number:65, letter:'A'}", "{low:3, high:4}"])
          const [first = "", ...others] = Object.keys(hexadecimal)
          const formatted = yield* call("print", { expressions: [first, ...others], format: "hex" })
          assert.deepStrictEqual(
            formatted.data.values.map(({ value }) => value?.replaceAll(/0x[0-9a-f]{9,}/g, "ADDRESS")),
            Object.values(hexadecimal)
          )
          const { ref = "" } = variables.find(({ name }) => name === "segment") ?? {}
          const byRef = yield* call("print", { expressions: ["/x", ref] })
          assert.strictEqual(byRef.data.values[0]?.value, hexadecimal["segment"], "by its reference")
          const [octal, bits] = yield* Effect.forEach(["octal", "character"], (format) =>
            Effect.map(call("print", { expressions: ["numbers[1]", "rect"], format }), ({ data }) => data.values)
          )
          assert.strictEqual(octal?.[0]?.value, "037777777470")
          assert.strictEqual(bits?.[1]?.value, "{x:\\0\\0\\x80?, y:\\0\\0\\0@, w:\\0\\0@@, h:\\0\\0\\x80@}")
          const [whole] = (yield* call("locals", { names: ["owner"], full: true })).data.variables
          const segments = whole?.children?.find(({ name }) => name === "segments")?.children ?? []
          assert.deepStrictEqual(
            segments.map(({ value }) => value),
            [values.segment, values.segment],
            "the members that the texts leave out"
          )
        })
      )
    )
  }
})
