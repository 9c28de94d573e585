// Measures the framing codec against the work that every codec has: decoding UTF-8 and JSON.parse of the same bytes, or the
// reverse.
import { Framing, type Message } from "@sigtrap/dap"
import { type Candidate, measure, type Table } from "./Harness.ts"

const KiB = 1024
const MiB = 1024 * KiB

/** Returns a `variables` response of about `size` bytes. */
const message = (size: number): Message.Message => {
  const variable = (index: number) => ({
    name: `[${index}]`,
    value: `{id:${index} name:"grüße ${index}" score:${index}.5}`,
    type: "struct item",
    evaluateName: `items[${index}]`,
    variablesReference: 1000 + index
  })
  const count = Math.max(1, Math.round(size / JSON.stringify(variable(12_345)).length))
  return {
    type: "response",
    seq: 0,
    request_seq: 7,
    success: true,
    command: "variables",
    body: { variables: Array.from({ length: count }, (_, index) => variable(index)) }
  }
}

const joined = (parts: ReadonlyArray<Uint8Array>) => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Returns a random generator with a fixed seed: every run cuts the bytes at the same places. */
const seeded = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const chunked = (bytes: Uint8Array, next: () => number): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + next())
    chunks.push(bytes.subarray(at, end))
    at = end
  }
  return chunks
}

/**
 * The targets as ratios to the floor: 0.93 of the speed of the floor for decoding small messages and 0.95 from 1 KiB on; 0.9 for encoding up
 * to 1 KiB and 0.95 above.
 */
const targetsOf = (size: number) => ({ decode: size < KiB ? 1.075 : 1.053, encode: size <= KiB ? 1.11 : 1.053 })

const decode = (chunks: ReadonlyArray<Uint8Array>, expected: number) => () => {
  const decoder = new Framing.Decoder()
  let count = 0
  for (const chunk of chunks) count += decoder.push(chunk).length
  if (count !== expected) throw new Error(`decoded ${count} messages of ${expected}`)
}

const sized = async (label: string, size: number, one = message(size)): Promise<Table> => {
  const body = new TextEncoder().encode(JSON.stringify(one))
  const frame = Framing.encode(one)
  const times = Math.max(1, Math.round((4 * MiB) / frame.length))
  // Single bytes are measured with fewer bytes, because they are slow; the floor is the same work.
  const fewer = Math.max(1, Math.round((256 * KiB) / frame.length))
  const stream = joined(Array.from({ length: times }, () => frame))
  const random = seeded(size)
  // The bodies where they are in the stream, not one of them again and again, which a processor has in its cache.
  const bodies = Array.from({ length: times }, (_, index) => {
    const end = (index + 1) * frame.length
    return stream.subarray(end - body.length, end)
  })
  const parse = () => {
    const decoder = new TextDecoder()
    for (const bytes of bodies) JSON.parse(decoder.decode(bytes))
  }
  const stringify = () => {
    const encoder = new TextEncoder()
    for (let index = 0; index < times; index++) encoder.encode(JSON.stringify(one))
  }
  const encode = () => {
    for (let index = 0; index < times; index++) Framing.encode(one)
  }
  const targets = targetsOf(size)
  const by = (next: () => number) => decode(chunked(stream, next), times)
  const bytewise = decode(
    chunked(joined(Array.from({ length: fewer }, () => frame)), () => 1),
    fewer
  )
  const floor = "JSON.parse of the same bytes"
  const candidates: ReadonlyArray<Candidate> = [
    { name: floor, times, run: parse },
    { name: "decode, 64 KiB chunks", times, run: by(() => 64 * KiB), floor, target: targets.decode },
    {
      name: "decode, random chunks",
      times,
      run: by(() => 1 + Math.floor(random() * 16 * KiB)),
      floor,
      target: targets.decode
    },
    { name: "decode, byte by byte", times: fewer, run: bytewise, floor, target: 7.7 },
    { name: "JSON.stringify to bytes", times, run: stringify },
    { name: "encode", times, run: encode, floor: "JSON.stringify to bytes", target: targets.encode }
  ]
  return measure(`Codec, messages of ${label}`, candidates, { rounds: size >= MiB ? 12 : 20, warmup: 3 })
}

/** A usual event: an output of 211 bytes. */
const event: Message.Message = {
  type: "event",
  seq: 0,
  event: "output",
  body: { category: "console", output: "x".repeat(87), source: { path: "/src/app.c" }, line: 12 }
}

/** Measures decoding and encoding of small and large messages. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const tables: Array<Table> = [await sized("211 bytes", 211, event)]
  for (const [label, size] of [
    ["1 KiB", KiB],
    ["64 KiB", 64 * KiB],
    ["1 MiB", MiB],
    ["8 MiB", 8 * MiB]
  ] as const) {
    tables.push(await sized(label, size))
  }
  return tables
}
