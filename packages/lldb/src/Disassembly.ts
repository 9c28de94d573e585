/**
 * Commands for disassembly with a format of one record per line, and the parser of their output.
 */
import type * as Result from "effect/Result"
import * as Command from "./Command.ts"

/** An instruction; `bytes` are hexadecimal pairs or words as LLDB prints them, `offset` is relative to `symbol`. */
export interface Instruction {
  readonly address: string
  readonly text: string
  readonly bytes?: string
  readonly symbol?: string
  readonly offset?: number
  readonly file?: string
  readonly line?: number
}

const format =
  "\\x1e${addr-file-or-load}\\x1f{${function.name-without-args}}\\x1f{${function.concrete-only-addr-offset-no-padding}}\\x1f{${line.file.fullpath}}\\x1f{${line.number}}\\x1f"

/** Surrounds `disassemble` with the format setting; send the three commands together. */
export const formatted = (command: string): readonly [string, string, string] => [
  `settings set disassembly-format "${format}"`,
  command,
  "settings clear disassembly-format"
]

/** Disassembles a function by name. */
export const ofFunction = (name: string, major: number): Result.Result<string, Command.Refused> =>
  Command.command("disassemble -b -n", [name], major)

/** Disassembles the function that contains an address. */
export const around = (address: string): string => `disassemble -b -a ${address}`

/** Disassembles `count` instructions from an address. */
export const from = (address: string, count: number): string => `disassemble -b -s ${address} -c ${count}`

/** Disassembles from one address up to another. */
export const between = (start: string, end: string): string => `disassemble -b -s ${start} -e ${end}`

/** Adds the x86 assembly flavor to a command. */
export const flavoured = (command: string, flavor: "intel" | "att" | undefined): string =>
  flavor === undefined ? command : command.replace(/^disassemble/, `disassemble -F ${flavor}`)

// Pairs with a blank after each (x86), or words of four or eight digits (ARM).
const opcode = /^\s*((?:[0-9a-f]{2} )+|0x[0-9a-f]{4,8}(?: 0x[0-9a-f]{4})?) +(.*)$/

/** Parses the output of a formatted `disassemble`. */
export const instructions = (output: string): ReadonlyArray<Instruction> =>
  output.split("\n").flatMap((line) => {
    const at = line.indexOf("\u001e")
    if (at < 0) return []
    const [address = "", symbol = "", offset = "", file = "", number = "", rest = ""] = line
      .slice(at + 1)
      .split("\u001f")
    if (!/^0x[0-9a-fA-F]+$/.test(address)) return []
    const [, bytes, text] = opcode.exec(rest) ?? []
    const lineNumber = /^\d{1,9}$/.test(number) ? Number(number) : 0
    return [
      {
        address: `0x${BigInt(address).toString(16)}`,
        text: (text ?? rest).trim(),
        ...(bytes === undefined ? {} : { bytes: bytes.trim() }),
        ...(symbol === "" ? {} : { symbol }),
        ...(/^\+\d+$/.test(offset) ? { offset: Number(offset.slice(1)) } : {}),
        ...(file === "" ? {} : { file }),
        ...(lineNumber === 0 ? {} : { line: lineNumber })
      }
    ]
  })
