// Debug information that names a key file or a file of another project: no answer shows its text, in both backends, and a
// breakpoint there still binds.
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

const planted = "PLANTED-TEXT"

/** Builds a program whose lines claim to be those of a key and of a note outside of its project. */
const built = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  const project = `${directory}/project`
  const [key, note] = [`${directory}/private/.ssh/id_rsa`, `${directory}/private/note.txt`]
  yield* fs.makeDirectory(project, { recursive: true })
  yield* fs.makeDirectory(`${directory}/private/.ssh`, { recursive: true })
  for (const file of [key, note]) yield* fs.writeFileString(file, `${planted}\n`.repeat(9))
  const source = `${project}/evil.c`
  const text = [
    "int plain(int n) { return n + 1; }",
    `#line 1 "${key}"`,
    "int in_key(int n) {",
    "  return n * 2; }",
    `#line 1 "${note}"`,
    "int in_note(int n) {",
    "  return n * 2; }",
    `#line 7 "${source}"`,
    "int main(void) { return plain(in_key(in_note(1))) == 0; }",
    ""
  ].join("\n")
  yield* fs.writeFileString(source, text)
  yield* compile(source, `${project}/evil`)
  return { key, note, project }
})

for (const backend of ["dap", "lldb-cli"] as const) {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(`source text under ${backend}`, (it) => {
    it.effect("of a file that only debug information names is not shown", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { key, note, project } = yield* built
          const breaks = ["in_note", "in_key", "plain"]
          const session = { directory: project, sources: [], backend }
          const answers: Array<unknown> = []
          const first = yield* start(`${project}/evil`, { ...session, break: breaks, stop_at_main: true })
          assert.isDefined(first.data.source, "the project's own source is shown")
          const atNote = yield* call("continue", { context: "full" })
          assert.strictEqual(atNote.data.source_refused?.rule, "outside")
          assert.deepStrictEqual(
            atNote.warnings.map(({ code }) => code),
            ["SOURCE_REFUSED"]
          )
          answers.push(atNote, yield* call("context", {}), yield* call("disassemble", { source: true }))
          answers.push(yield* call("frame", {}), yield* call("break", { at: `${note}:2` }))
          const atKey = yield* call("continue", {})
          assert.strictEqual(atKey.data.source_refused?.rule, "secret")
          answers.push(atKey, yield* Effect.flip(call("source", {})))
          for (const file of [key, note, `${project}/../private/note.txt`, "/proc/self/environ", "/etc/shadow"]) {
            const refused = yield* Effect.flip(call("source", { at: `${file}:1` }))
            assert.strictEqual(refused._tag, "SourceNotFound", file)
            const found = yield* Effect.flip(call("breakpoint.find", { file, text: planted.slice(0, 7) }))
            assert.strictEqual(found._tag, "SourceNotFound", file)
            answers.push(refused, found)
          }
          // The events repeat what the caller sent, so the calls name only the beginning of the text.
          const anchor = yield* Effect.flip(call("break", { at_text: planted.slice(0, 7), in: note }))
          answers.push(
            anchor,
            yield* call("breakpoint.list", {}),
            yield* Effect.result(call("breakpoint.lines", { at: note }))
          )
          answers.push(yield* call("output", {}), yield* call("events", {}))
          assert.notInclude(JSON.stringify(answers), planted)
        })
      )
    )

    it.effect("of a directory that the caller names is shown", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { note, project } = yield* built
          const sources = [note.slice(0, note.lastIndexOf("/"))]
          const at = yield* start(`${project}/evil`, { directory: project, sources, backend, break: ["in_note"] })
          assert.include(JSON.stringify(at.data.source), planted)
          const key = yield* call("break", { at: "in_key" })
          assert.isNotEmpty(key.data.locations, "a breakpoint in a refused file binds")
          const refused = yield* call("continue", {})
          assert.strictEqual(refused.data.source_refused?.rule, "secret")
        })
      )
    )
  })
}
