/** Values of the C++ library's types, whose contents are known from the program's source, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** The previews that the source implies; elements of unordered containers are in the order in which libstdc++ puts them. */
const previews: Readonly<Record<string, RegExp>> = {
  v: /^3 \{"a","bb","ccc"\}$/,
  numbers: /^100 \{0,1,4,9,16,25,36,.*,…\}$/,
  none: /^0 \{\}$/,
  bits: /^3 \{true,false,true\}$/,
  points: /^2 \{\{x:1, y:2\},\{x:3, y:4\}\}$/,
  m: /^2 \{"x":1,"y":2\}$/,
  mm: /^2 \{1:'a',1:'b'\}$/,
  um: /^2 \{(?:1:"one",2:"two"|2:"two",1:"one")\}$/,
  names: /^1 \{"x":7\}$/,
  us: /^1 \{5\}$/,
  s: /^3 \{1,2,3\}$/,
  dq: /^301 \{-1,0,1,2,.*,…\}$/,
  li: /^3 \{7,8,9\}$/,
  fl: /^2 \{4,5\}$/,
  ar: /^3 \{1,2,3\}$/,
  some: /^5$/,
  empty: /^nullopt$/,
  var: /^"text"$/,
  tu: /^\{1, "two", 3\.5\}$/,
  pa: /^\{"k":9\}$/,
  fn: /^twice$/,
  nofn: /^empty$/,
  sp: /^0x[0-9a-f]+ \{42\}(?: use_count=2)?$/,
  nosp: /^nullptr$/,
  up: /^0x[0-9a-f]+ \{x:5, y:6\}$/,
  sv: /^"viewed"$/,
  ms: /^1500ms$/,
  tp: /^1970-01-01T00:00:01Z$/,
  nested: /^2 \{"a":2 \{1,2\},"b":0 \{\}\}$/,
  rv: /^3 \{"a","bb","ccc"\}$/,
  pv: /^0x[0-9a-f]+ \{3 \{"a","bb","ccc"\}\}$/
}

/** Expressions over containers, and their values in the source. */
const elements: ReadonlyArray<readonly [expression: string, value: string]> = [
  ['m["x"]', "1"],
  ["v[1]", '"bb"'],
  ["v.size()", "3"],
  // The key 1, not the element at the position 1.
  ["um[1]", '"one"'],
  ["um[2]", '"two"'],
  ['names.at("x")', "7"],
  ["pv->size()", "3"],
  ['nested["a"][1]', "2"],
  ["points[1].y", "4"],
  ["none.empty()", "true"],
  ["s.count(3)", "1"],
  ["li.back()", "9"]
]

layer(platform, { excludeTestServices: true, timeout: "90 seconds" })("C++ values", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`show their contents with the exact size (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("values", { backend, break: [`values.cpp:${line("values.cpp", "values")}`] })
          const { variables } = (yield* call("locals", { names: Object.keys(previews) })).data
          const shown = new Map(variables.map(({ name, value }) => [name, value]))
          for (const [name, expected] of Object.entries(previews)) {
            assert.match(shown.get(name) ?? "", expected, name)
            assert.isAtMost(shown.get(name)?.length ?? 0, 80, name)
          }
          const array = (yield* call("print", { expressions: ["v"], array: 2 })).data.values[0]
          assert.lengthOf(array?.children ?? [], 2)
          const page = (yield* call("expand", { target: "um" })).data.children
          assert.strictEqual(page.length, 2)
          const again = (yield* call("expand", { target: "m" })).data
          const map = (yield* call("expand", { target: "m", start: 1 })).data
          assert.strictEqual(map.children[0]?.ref, again.children[1]?.ref)
          assert.strictEqual(map.parent.ref, again.parent.ref)
          // An instance of a template.
          const { fields = [] } = (yield* call("type", { name: "ar", layout: true })).data
          assert.deepStrictEqual(
            fields.map(({ name, offset, size }) => [name, offset, size]),
            [["_M_elems", 0, 12]]
          )
          yield* call("display", { expression: "v.size()" })
          const { evaluations } = (yield* call("next", {})).data
          assert.deepStrictEqual(
            evaluations?.map(({ changed, display, value }) => [display, value, changed]),
            [[1, "3", undefined]]
          )
          const other = yield* Effect.flip(call("print", { expressions: ["nowhere.size()"] }))
          assert.strictEqual(other._tag, "VariableNotFound")
        })
      )
    )

    it.effect(`name the members of pointers to members, and read what JSON names (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("references", { backend, break: [`references.cpp:${line("references.cpp", "members")}`] })
          const { variables } = (yield* call("locals", {})).data
          const shown = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
          const { d: _, pair, refs, ...rest } = shown
          assert.deepStrictEqual(rest, {
            data: "&S::b",
            none: "nullptr",
            inner: "&D::other",
            function: "&S::twice",
            overridden: "virtual function 0 of D"
          })
          assert.strictEqual(pair, "{{a:1, b:2}, {a:3, b:4}}")
          assert.match(refs ?? "", /^\{total:5, p:0x/)
          assert.deepStrictEqual(
            variables.flatMap(({ name, ref }) => (ref === undefined ? [] : [name])),
            ["refs", "pair", "d"]
          )
          const [read] = (yield* call("print", { expressions: ["refs"], depth: 3 })).data.values
          const [total, pointer] = read?.children ?? []
          assert.strictEqual(total?.value, "5")
          const inside = pointer?.children?.[0]?.expression ?? ""
          assert.strictEqual((yield* call("print", { expressions: [inside] })).data.values[0]?.value, "7")
          // No expression names a base class, and its reference opens it and not the object.
          const [object] = (yield* call("print", { expressions: ["d"], depth: 2 })).data.values
          const [base] = object?.children ?? []
          assert.deepStrictEqual([base?.name, base?.expression], ["S", undefined])
          const opened = (yield* call("expand", { target: base?.ref ?? "" })).data.children
          assert.deepStrictEqual(
            opened.map(({ expression, name }) => [name, expression]),
            [
              ["a", "d.a"],
              ["b", "d.b"]
            ]
          )
        })
      )
    )

    it.effect(`of globals open whatever their name, and objects without members do not (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("globals", { backend, break: [`globals.cpp:${line("globals.cpp", "globals")}`] })
          const { variables } = (yield* call("globals", { file: "globals.cpp" })).data
          const opened = yield* Effect.forEach(variables, ({ name, ref, value }) =>
            ref === undefined
              ? Effect.succeed([name, value])
              : Effect.map(call("expand", { target: ref }), ({ data }) => [
                  name,
                  data.children.map((child) => child.value).join()
                ])
          )
          assert.deepStrictEqual(
            new Map(opened.map(([name = "", text = ""]) => [name, text])),
            new Map([
              ["::point", "1,2"],
              ["::nothing", "{}"],
              ["::table", "3,4,5"],
              ["shop::other", "6,7"],
              ["shop::sized<char>", "8,1"],
              ["shop::Cart::kept", "9,10"],
              ["(anonymous namespace)::hidden", "11,12"],
              ["own", "13,14"]
            ])
          )
          const { variables: all } = (yield* call("globals", { count: 500 })).data
          assert.lengthOf(
            all.filter(({ name }) => name === "std::__ioinit"),
            1
          )
          const [local] = (yield* call("locals", {})).data.variables
          assert.deepInclude(local, { name: "local", value: "{}" })
          assert.isUndefined(local?.ref)
        })
      )
    )

    it.effect(`of references are those of the objects (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("references", { backend, break: ["add"] })
          const locals = (yield* call("locals", {})).data.variables
          assert.deepStrictEqual(
            locals.slice(0, 2).map(({ name, value }) => [name, value]),
            [
              ["total", "3"],
              ["x", "2.5"]
            ]
          )
          // `*p` of a reference to a pointer is the object, as in C++ and GDB.
          const { values } = (yield* call("print", { expressions: ["total", "*p", "s.b", "sp->a", "*sp"] })).data
          assert.deepStrictEqual(
            values.map(({ value }) => value),
            ["3", "4", "2", "1", "{a:1, b:2}"]
          )
          yield* call("set", { target: "total", value: "8" })
          yield* call("finish", {})
          assert.strictEqual((yield* call("print", { expressions: ["t"] })).data.values[0]?.value, "10")
        })
      )
    )

    it.effect(`have no size before their constructors have run (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const places = ["before", "after"].map((mark) => `unconstructed.cpp:${line("unconstructed.cpp", mark)}`)
          yield* start("unconstructed", { backend, break: places })
          const names = ["v", "names", "m", "s", "li", "um"]
          const values = Effect.map(call("locals", { names }), ({ data }) => data.variables.map(({ value }) => value))
          // GDB 13 shows lengths such as 1012762419733073422, and that the elements cannot be read.
          assert.deepStrictEqual(
            yield* values,
            names.map(() => "<unknown size>")
          )
          const size = yield* Effect.flip(call("print", { expressions: ["v.size()"] }))
          assert.match(size.message, /the size cannot be read/)
          const first = yield* Effect.flip(call("print", { expressions: ["v[0]"] }))
          assert.notMatch(first.message, /the size is 0/)
          yield* call("continue", {})
          assert.deepStrictEqual(yield* values, [
            "2 {1,2}",
            '2 {"one","two"}',
            '1 {"a":1}',
            "2 {4,5}",
            "3 {1,2,3}",
            '1 {1:"x"}'
          ])
        })
      )
    )

    it.effect(`are read by key, index and size without running the program (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("values", { backend, break: [`values.cpp:${line("values.cpp", "values")}`] })
          for (const [expression, expected] of elements) {
            const { values } = (yield* call("print", { expressions: [expression] })).data
            assert.strictEqual(values[0]?.value, expected, expression)
          }
          const absent = yield* Effect.flip(call("print", { expressions: ["um[9]"] }))
          assert.match(absent.message, /no element with key 9/)
          const beyond = yield* Effect.flip(call("print", { expressions: ["v[3]"] }))
          assert.match(beyond.message, /the size is 3/)
        })
      )
    )
  }
})
