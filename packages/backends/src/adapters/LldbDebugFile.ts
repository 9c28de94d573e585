/**
 * The debug information that a package installed for a program, in a file of its own below `/usr/lib/debug`.
 *
 * LLDB looks there only with `symbols.enable-external-lookup`, which is off: then it would also read the debug information of the C
 * library, for about half a second and 50 MB in each session. So this file is added to the program alone.
 */
import { Command } from "@sigtrap/lldb"
import { type Backend, DebugFiles } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as ElfSections from "./ElfSections.ts"
import * as ProgramKind from "./ProgramKind.ts"

/** Length of the note's header and of its name `GNU`, before the bytes of the build ID. */
const noteHead = 16

/** Returns the name of the installed file for the build ID in the section `.note.gnu.build-id`. */
const byBuildId = (note: Uint8Array): ReadonlyArray<string> => {
  const digits = Array.from(note.slice(noteHead), (byte) => byte.toString(16).padStart(2, "0")).join("")
  const file = DebugFiles.byBuildId(digits)
  return file === undefined ? [] : [file]
}

/**
 * Returns the LLDB command that adds the installed debug information to a program; undefined if the program has its own, or none is
 * installed. Only 64-bit little-endian ELF files are read. LLDB refuses a file of another build.
 */
export const command = Effect.fnUntraced(function* (
  { program }: Pick<Backend.LaunchRequest, "program">,
  major: number
) {
  const contents = yield* ProgramKind.read(program)
  if (contents.kind !== "elf" || /\.z?debug_info\b/.test(contents.sections)) return undefined
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [note = new Uint8Array()] = yield* ElfSections.bytes(program, [".note.gnu.build-id"])
  const [link = ""] = yield* ElfSections.texts(program, [".gnu_debuglink"])
  const name = link.replace(/\0.*$/s, "")
  const files = [
    ...byBuildId(note),
    ...(name === "" ? [] : [path.join(DebugFiles.installed, path.dirname(program), name)])
  ]
  for (const file of files) {
    if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) continue
    return Result.getOrUndefined(Command.command("target symbols add", [file], major))
  }
  return undefined
})
