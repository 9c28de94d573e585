/**
 * Expressions for the pointer that an object of the C++ library contains: a smart pointer, a vector, a span.
 *
 * They call no function. The pointer is the first word of such an object in libstdc++ and libc++. Its type is that of an operator, which
 * `decltype` does not call. A `unique_ptr` with a deleter that has a state may begin with the deleter.
 */

/** An expression for the pointer, and a condition without which its value does not count. */
export interface LibraryPointer {
  readonly pointer: string
  /** An expression that must not be 0. */
  readonly condition?: string
}

const shared = /^(?:const )?std::(?:__\w+::)*shared_ptr</
const unique = /^(?:const )?std::(?:__\w+::)*unique_ptr</
const elements = /^(?:const )?std::(?:__\w+::)*(?:vector<(?!bool\b)|span<)/

/** True if a type is one of arrays: `std::unique_ptr<int[]>`. */
const isArray = /\[\]\s*[,>]/

/** Returns the pointer in an object of a type; undefined if the type is none of these. A reference has the type of its object. */
export const of = (type: string, object: string): LibraryPointer | undefined => {
  const name = type.replace(/\s*&+$/, "")
  const byIndex = `(*(decltype(&(${object})[0])*)&(${object}))`
  if (elements.test(name)) return { pointer: byIndex }
  if (!shared.test(name) && !unique.test(name)) return undefined
  const pointer = isArray.test(name) ? byIndex : `(*(decltype((${object}).operator->())*)&(${object}))`
  return unique.test(name) ? { pointer, condition: `sizeof(${object}) == sizeof(void*)` } : { pointer }
}
