/**
 * Finds the functions through which a program ends, `exit` and `_exit` of the C library, in the memory of a process whose
 * libraries are loaded.
 *
 * A debug server reports an exit when the process is gone. A breakpoint at `_exit` stops it before, when its exit handlers have
 * run and its output is written. It would also kill a child of vfork(2) or posix_spawn(3), which shares the memory and ends by
 * `_exit` if it cannot execute its program. So it is removed at a call of such a function, and inserted again when the program has
 * called `exit`, which no such child may call. A child of fork(2) has a copy of each breakpoint and would die of it, so a run
 * whose program calls `fork` has none from then on.
 * The library's own tables say where the functions are (ELF, dynamic section), so no file is read.
 * A program that ends by a system call of its own, such as one in Go, or is linked statically is not stopped.
 */
import { Hex, type Client, type Errors } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"

/** Numbers of the entries of a dynamic section: symbol table, string table, GNU hash table. */
const tags = { strings: 5n, symbols: 6n, hash: 0x6ffffef5n }

/** The libraries that have the function: those of glibc, musl and bionic. */
const names = /\/(?:libc\.so(?:\.\d+)?|libc-\d[\d.]*\.so|ld-musl-[^/]*\.so\.1)$/

/** Where a program ends: the function that it calls, and the one that ends the process after the exit handlers. */
export interface Functions {
  readonly begin: bigint
  readonly end: bigint
  readonly fork: bigint
  /** Functions whose child shares the memory. One has an address for each version of the library's interface. */
  readonly spawns: ReadonlyArray<bigint>
}

/** The functions whose child shares the memory until it executes another program. */
const sharing = ["vfork", "posix_spawn", "posix_spawnp"]

/** Most bytes that are read of one table. */
const tableLimit = 1024 * 1024

const word = (bytes: Uint8Array, at: number): bigint => Hex.toBigInt(bytes.subarray(at, at + 8))

const half = (bytes: Uint8Array, at: number): number => Number(Hex.toBigInt(bytes.subarray(at, at + 4)))

/** A library that a process has loaded: the difference between its addresses and those in its file, and its dynamic section. */
export interface Library {
  readonly name: string
  readonly base: bigint
  readonly dynamic: bigint
}

/** Returns the libraries of an answer to `qXfer:libraries-svr4`. */
const librariesOf = (xml: string): ReadonlyArray<Library> =>
  [...xml.matchAll(/<library [^>]*>/g)].flatMap(([element]) => {
    const attributes = new Map(
      [...element.matchAll(/ (\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value])
    )
    const number = (key: string) => {
      const text = attributes.get(key) ?? ""
      return /^(?:0x[0-9a-fA-F]+|\d+)$/.test(text) ? BigInt(text) : undefined
    }
    const [name, base, dynamic] = [attributes.get("name"), number("l_addr"), number("l_ld")]
    return name === undefined || base === undefined || dynamic === undefined ? [] : [{ name, base, dynamic }]
  })

/** The hash of a name in a GNU hash table. */
const hashOf = (name: string): number => {
  let hash = 5381
  for (const letter of name) hash = (hash * 33 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hash
}

/** Finds the symbols of a library with a name in memory; none if it has no GNU hash table. */
const symbolsOf = Effect.fnUntraced(function* (client: Client.Client, { base, dynamic }: Library, name: string) {
  const section = yield* client.readMemory(dynamic, 1024)
  const entries = new Map<bigint, bigint>()
  for (let at = 0; at + 16 <= section.length && word(section, at) !== 0n; at += 16) {
    entries.set(word(section, at), word(section, at + 8))
  }
  const place = (tag: bigint) => {
    const value = entries.get(tag)
    // The loader of glibc adds the base to these entries, that of musl does not.
    return value === undefined ? undefined : value < base ? value + base : value
  }
  const [hash, strings, symbols] = [place(tags.hash), place(tags.strings), place(tags.symbols)]
  const all = new Set<bigint>()
  if (hash === undefined || strings === undefined || symbols === undefined) return all
  const header = yield* client.readMemory(hash, 16)
  const [buckets, first, bloom] = [half(header, 0), half(header, 4), half(header, 8)]
  if (buckets === 0 || 4 * buckets > tableLimit || 8 * bloom > tableLimit) return all
  const wanted = hashOf(name)
  const bucket = hash + 16n + 8n * BigInt(bloom)
  const index = half(yield* client.readMemory(bucket + 4n * BigInt(wanted % buckets), 4), 0)
  if (index < first) return all
  const chain = bucket + 4n * BigInt(buckets)
  const hashes = yield* client.readMemory(chain + 4n * BigInt(index - first), 4096)
  for (let at = 0; at + 4 <= hashes.length; at += 4) {
    const found = half(hashes, at)
    if ((found | 1) >>> 0 === (wanted | 1) >>> 0) {
      const symbol = yield* client.readMemory(symbols + 24n * BigInt(index + at / 4), 24)
      const text = yield* client.readMemory(strings + BigInt(half(symbol, 0)), name.length + 1)
      if (new TextDecoder().decode(text) === `${name}\0` && word(symbol, 8) !== 0n) all.add(word(symbol, 8))
    }
    if ((found & 1) === 1) break
  }
  return all
})

/** Finds the functions. Remembers their offsets in a library, because each run has the same ones. */
export const make = () => {
  const known = new Map<string, Functions | undefined>()
  return Effect.fnUntraced(function* (
    client: Client.Client
  ): Effect.fn.Return<Functions | undefined, Errors.RequestError> {
    const xml = new TextDecoder().decode(yield* client.object("libraries-svr4"))
    const library = librariesOf(xml).find(({ name }) => names.test(name))
    if (library === undefined) return undefined
    const find = (name: string) =>
      symbolsOf(client, library, name).pipe(
        Effect.map((all) => [...all]),
        Effect.catchTag(["RequestFailed", "NotSupported"], () => Effect.succeed([]))
      )
    if (!known.has(library.name)) {
      const [[begin], [end], [fork]] = [yield* find("exit"), yield* find("_exit"), yield* find("fork")]
      const spawns = (yield* Effect.forEach(sharing, find)).flat()
      const isWhole = begin !== undefined && end !== undefined && fork !== undefined
      known.set(library.name, isWhole ? { begin, end, fork, spawns } : undefined)
    }
    const offsets = known.get(library.name)
    const { base } = library
    return (
      offsets && {
        begin: base + offsets.begin,
        end: base + offsets.end,
        fork: base + offsets.fork,
        spawns: offsets.spawns.map((offset) => base + offset)
      }
    )
  })
}
