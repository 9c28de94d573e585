/**
 * Memory, registers, instructions and modules as text.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Doc from "./Doc.ts"
import * as View from "./View.ts"

/** The bytes of one row. */
const row = 16

const isAddress = (text: string) => /^0x[0-9a-fA-F]{1,16}$/.test(text)
const pair = (byte: number) => byte.toString(16).padStart(2, "0")
const visible = (byte: number) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")

/** `7ffe  03 00 ..  ....`: rows of sixteen bytes, `??` for unreadable ones. */
const dump = (
  address: bigint,
  bytes: Uint8Array,
  unreadable: ReadonlyArray<readonly [number, number]>,
  ascii = true
): ReadonlyArray<Doc.Line> => {
  const isGap = (at: number) => unreadable.some(([from, to]) => at >= from && at < to)
  const lines: Array<Doc.Line> = []
  for (let start = 0; start < bytes.length; start += row) {
    const cells = Array.from(bytes.subarray(start, start + row), (byte, i) =>
      isGap(start + i) ? { hex: "??", text: " " } : { hex: pair(byte), text: visible(byte) }
    )
    const half = (from: number) =>
      cells
        .slice(from, from + row / 2)
        .map(({ hex }) => hex)
        .join(" ")
    const hex = `${half(0)}  ${half(row / 2)}`.padEnd(row * 3)
    const at = `0x${(address + BigInt(start)).toString(16)}`
    const text = cells.map((cell) => cell.text).join("")
    lines.push(
      Doc.line(Doc.span(at, "number"), `  ${ascii ? hex : hex.trimEnd()}`, ascii ? Doc.span(`  ${text}`, "dim") : "")
    )
  }
  return lines
}

/** `0x7ffe  0x00000003 0x00000000`: rows of words; strings have a line each. */
const words = (view: View.View, address: bigint, size: number, values: ReadonlyArray<string>): Doc.Doc => {
  const isText = values.some((value) => value.startsWith('"'))
  const width = Math.max(0, ...values.map(Doc.width))
  const most = isText ? 1 : Math.max(1, Math.min(row / size, Math.floor(80 / (width + 1))))
  const rows: Array<Doc.Line> = []
  for (let from = 0; from < values.length; from += most) {
    const cells = values.slice(from, from + most).map((value) => (isText ? Doc.cut(value, 120) : value.padStart(width)))
    const at = isText ? "" : `0x${(address + BigInt(from * size)).toString(16)}  `
    rows.push(Doc.line(Doc.span(at, "number"), cells.join(" ")))
  }
  return Doc.list(
    rows.map((line) => [line]),
    () => View.again(view, "memory.read", { budget: 0 })
  )
}

/** Renders the answer of `memory read`. */
export const memory = (
  view: View.View,
  data: {
    readonly address: string
    readonly data: string
    readonly unreadable: ReadonlyArray<readonly [number, number]>
    readonly size?: number
    readonly values?: ReadonlyArray<string>
  }
): Doc.Doc => {
  if (data.values !== undefined && data.size !== undefined && isAddress(data.address)) {
    return words(view, BigInt(data.address), data.size, data.values)
  }
  const bytes = Base64.decode(data.data)
  if (Result.isFailure(bytes) || !isAddress(data.address)) return Doc.lines(Doc.line(data.address, " ", data.data))
  const address = BigInt(data.address)
  return Doc.list(
    dump(address, bytes.success, data.unreadable, view.input?.["ascii"] !== false).map((line) => [line]),
    (shown) =>
      View.other(view, "memory.read", {
        address: `0x${(address + BigInt(shown * row)).toString(16)}`,
        count: bytes.success.length - shown * row
      })
  )
}

/** Renders the answer of `memory write`: the bytes that were read back. */
export const written = (data: { readonly address: string; readonly readback: string }): Doc.Doc => {
  const bytes = Base64.decode(data.readback)
  return Result.isSuccess(bytes) && isAddress(data.address)
    ? Doc.lines(...dump(BigInt(data.address), bytes.success, []))
    : Doc.lines(Doc.line(data.address, " ", data.readback))
}

/** Renders the answer of `registers`. Several groups have headings. */
export const registers = (
  view: View.View,
  data: {
    readonly groups: ReadonlyArray<{
      readonly name: string
      readonly registers: ReadonlyArray<{
        readonly name: string
        readonly value: string
        readonly changed?: boolean
        readonly old?: string
      }>
    }>
    readonly not_found: ReadonlyArray<string>
  }
): Doc.Doc => {
  const [, second] = data.groups
  const all = data.groups.flatMap((group) => group.registers)
  const width = Math.max(0, ...all.map(({ name }) => name.length))
  const entries = data.groups.flatMap((group) => [
    ...(second === undefined ? [] : [[Doc.line(Doc.span(group.name, "heading"))]]),
    ...group.registers.map(({ changed, name, old, value }) => [
      Doc.line(
        Doc.span(Doc.pad(name, width), "name"),
        ` = ${Doc.cut(value, 120)}`,
        Doc.span(changed === true ? "*" : "", "changed"),
        Doc.span(old === undefined ? "" : `  was ${Doc.cut(old, 60)}`, "dim")
      )
    ])
  ])
  return Doc.concat(
    all.length === 0 && data.not_found.length === 0 ? Doc.lines(Doc.line("no registers")) : Doc.empty,
    Doc.list(entries, () => View.again(view, "registers", { budget: 0 })),
    data.not_found.length === 0
      ? Doc.empty
      : Doc.lines(Doc.line(Doc.span(`not found: ${data.not_found.join(", ")}`, "warning")))
  )
}

/** Renders the answer of `disassemble`; `>` marks the instruction of the frame. */
export const instructions = (
  view: View.View,
  data: {
    readonly function?: string
    readonly instructions: ReadonlyArray<Operations.Instruction>
    readonly sources?: ReadonlyArray<{ readonly file: string; readonly line: number; readonly text: string }>
  }
): Doc.Doc => {
  const showBytes = view.input?.["bytes"] === true || view.verbose === true
  const texts = new Map((data.sources ?? []).map(({ file, line, text }) => [`${file}:${line}`, { line, text }]))
  const bytesWidth = Math.max(0, ...data.instructions.map(({ bytes }) => bytes?.length ?? 0))
  const symbols = view.input?.["symbols"] === true
  const offsets = data.instructions.map(({ offset, symbol }) =>
    offset === undefined ? "" : `<${symbols ? Doc.cut(symbol ?? "", 40) : ""}+${offset}>`
  )
  const offsetWidth = Math.max(0, ...offsets.map((text) => text.length))
  let last: string | undefined
  const entries = data.instructions.map((instruction, index) => {
    const key =
      instruction.file === undefined || instruction.line === undefined
        ? undefined
        : `${instruction.file}:${instruction.line}`
    const source = key === undefined || key === last ? undefined : texts.get(key)
    last = key ?? last
    const here = instruction.current === true
    const [mnemonic = "", ...operands] = instruction.text.split(/\s+/)
    const text = `${mnemonic.padEnd(6)} ${operands.join(" ")}`.trimEnd()
    return [
      ...(source === undefined ? [] : [Doc.line(Doc.span(`${source.line}  ${source.text}`, "dim"))]),
      Doc.line(
        Doc.span(here ? "> " : "  ", here ? "current" : "plain"),
        Doc.span(instruction.address, "number"),
        offsetWidth === 0 ? "" : ` ${Doc.pad(offsets[index] ?? "", offsetWidth)}`,
        showBytes ? `  ${Doc.pad(instruction.bytes ?? "", bytesWidth)}` : "",
        Doc.span(`  ${Doc.cut(text, 120)}`, here ? "current" : "plain")
      )
    ]
  })
  return Doc.concat(
    data.function === undefined ? Doc.empty : Doc.lines(Doc.line(Doc.span(`${data.function}:`, "heading"))),
    entries.length === 0 ? Doc.lines(Doc.line("no instructions")) : Doc.empty,
    Doc.list(entries, () => View.again(view, "disassemble", { budget: 0 }))
  )
}

/** Renders the answer of `modules`. */
export const modules = (view: View.View, list: ReadonlyArray<Operations.Module>): Doc.Doc => {
  if (list.length === 0) return Doc.lines(Doc.line("no modules"))
  const rows = Doc.table(
    list.map((one) => [
      ...(view.verbose === true ? [one.address ?? "", one.path, one.uuid ?? "", one.symbol_file ?? ""] : [one.path]),
      one.symbols === "none" ? "no symbols" : ""
    ])
  )
  return Doc.list(
    rows.map((row) => [Doc.line(row)]),
    () => View.again(view, "modules", { budget: 0 })
  )
}
