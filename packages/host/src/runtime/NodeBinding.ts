/**
 * Node's internal interfaces, which its public modules use too. To load those modules takes longer than what the thin client does with
 * them. Node keeps the interfaces for old programs (`process.binding`), without a promise: callers check each part that they use, and have
 * another way where one is missing, as under Bun and Deno.
 */

/** The parts of an interface. */
export interface Parts {
  readonly [name: string]: unknown
}

/** Returns an interface, such as `pipe_wrap`; undefined if this runtime has none of this name. Its parts are not checked. */
export const find = (name: string): Parts | undefined => {
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return undefined
  const warns = process.noDeprecation
  try {
    const binding: unknown = Reflect.get(process, "binding")
    if (typeof binding !== "function") return undefined
    // Without this Node prints a warning if it runs with --pending-deprecation.
    process.noDeprecation = true
    return Object(binding.call(process, name))
  } catch {
    return undefined
  } finally {
    process.noDeprecation = warns ?? false
  }
}

/** A class of an interface. */
export type Class = new (...words: ReadonlyArray<unknown>) => object

/** True for a class whose objects have these methods. */
export const isClass = (value: unknown, methods: ReadonlyArray<string> = []): value is Class =>
  typeof value === "function" && methods.every((name) => typeof Reflect.get(value.prototype, name) === "function")
