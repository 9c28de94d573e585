/**
 * Why the runtime of C++ ends a program without an exception, by the functions on the stack.
 *
 * Sources: Itanium C++ ABI 3.2.6 (`__cxa_pure_virtual`), [thread.thread.destr] and [thread.thread.assign] (`std::terminate` if joinable).
 */

/** A function that only ends the program, and what its call means. */
const functions: ReadonlyArray<readonly [name: RegExp, meaning: string]> = [
  [/^__cxa_pure_virtual$/, "pure virtual method called"],
  [/^__cxa_deleted_virtual$/, "deleted virtual method called"]
]

/** A function that calls `std::terminate` in one case only, and this case. */
const callers: ReadonlyArray<readonly [name: RegExp, meaning: string]> = [
  [/^std::(?:__\w+::)?thread::~thread\b/, "a joinable std::thread was destroyed"],
  [/^std::(?:__\w+::)?thread::operator=/, "a joinable std::thread was assigned"]
]

const terminate = /^std::(?:__)?terminate\b/

const inlined = /^.*\[inlined\] /

/**
 * Returns the reason in words, undefined if the stack does not say it.
 *
 * @param names Names of the functions on the stack, the innermost first; undefined where a function has no name.
 */
export const of = (names: ReadonlyArray<string | undefined>): string | undefined => {
  const called = names.flatMap((name) => functions.filter(([pattern]) => name !== undefined && pattern.test(name)))[0]
  if (called !== undefined) return called[1]
  const last = names.findLastIndex((name) => name !== undefined && terminate.test(name.replace(inlined, "")))
  const caller = last === -1 ? undefined : names[last + 1]
  return caller === undefined ? undefined : callers.find(([pattern]) => pattern.test(caller))?.[1]
}
