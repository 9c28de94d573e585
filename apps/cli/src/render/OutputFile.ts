/**
 * Writes bytes of an answer to a file that only the user can read, since program memory may hold secrets.
 */
import { type Answer, Caller, Effects, Errors, Hint, Roots, Settings } from "@sigtrap/protocol"
import { FileWriter } from "@sigtrap/host"
import { Effect, Predicate } from "effect"
import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import type { Fields } from "@sigtrap/protocol/grammar/Argv"

/** A written file. */
interface Saved {
  readonly file: string
  readonly bytes: number
  readonly text: string
}

/** The same command with `--force`. */
const retry = (tag: string, { address, force: _, ...rest }: Fields): Hint.Hint => {
  const options = Object.entries(rest).flatMap(([field, value]) =>
    value === true ? [`--${field}`] : [`--${field}`, String(value)]
  )
  return Hint.local(tag, [String(address), ...options, "--force"], "to replace it")
}

/** Writes the bytes of an answer to the file of `--out`, if given. */
export const save = Effect.fnUntraced(function* (
  tag: string,
  input: Fields,
  answer: Answer.Answer<unknown>,
  directory: string,
  values: Settings.Values
) {
  const { out } = input
  const { data } = answer
  if (tag !== "memory.read" || !Predicate.isString(out) || !Predicate.isReadonlyObject(data)) return undefined
  const file = resolve(directory, out)
  // The daemon writes this file for its caller, who needs the permission for fields that write files.
  const { allowance } = yield* Caller.Current
  const missing = Caller.missing(allowance, Effects.ofValue("write-file", "out", file))
  if (missing.length > 0) {
    return yield* new Errors.TierRequired({
      operation: tag,
      missing: missing.map((use) => ({ ...use, tier: Effects.tierOf(use.effect) }))
    })
  }
  const roots = Settings.list(values, "policy.roots")
  if (roots.length > 0) {
    const real = (path: string) =>
      Effect.try({
        try: () => realpathSync(path),
        catch: () =>
          new Errors.Usage({ problem: `${path} does not exist`, near: [], remedies: [Hint.help("memory.read")] })
      })
    const place = join(yield* real(dirname(file)), basename(file))
    if (!Roots.contain(yield* Effect.forEach(roots, real), place)) return yield* Roots.refusal(roots, file)
  }
  const { address, data: encoded, unreadable } = data
  const bytes = Buffer.from(Predicate.isString(encoded) ? encoded : "", "base64")
  yield* FileWriter.write(file, bytes, { force: input["force"] === true, mode: 0o600, retry: retry(tag, input) })
  const gaps = Array.isArray(unreadable) ? unreadable.length : 0
  const note = gaps === 0 ? "" : `; ${gaps} unreadable ranges are filled with zeros`
  const saved: Saved = {
    file,
    bytes: bytes.length,
    text: `${bytes.length} bytes at ${String(address)} in ${file}${note}\n`
  }
  return saved
})
