/**
 * Tells from the stack of a program that exits whether its `main` returned, or something called `exit` or `_exit`.
 *
 * Source: The C library calls `exit` with what `main` returns (C17, 5.1.2.2.3), from a function that `_start` calls. glibc names that
 * `__libc_start_call_main`, without symbols it has no name.
 */

/** The functions of the C library that start a program. */
const starts = /^(?:__libc_start_\w+(?:@.*)?|_start|_start_c|\?\?)$/

/** The functions of the C library that end a program, called by `exit`. A handler of the program may end it too. */
const ends = /^(?:_exit|_Exit|__GI__exit|__run_exit_handlers|\?\?)$/

/** The function that the rest of the stack must have: it calls `main`, or calls the function that does. */
const start = /^__libc_start_main/

/**
 * True if `main` has returned.
 *
 * @param names Names of the functions on the stack, the innermost first.
 */
export const hasReturned = (names: ReadonlyArray<string>): boolean => {
  const at = names.lastIndexOf("exit")
  const below = names.slice(at + 1)
  const isOwnEnd = names.slice(0, at).every((name) => ends.test(name))
  return at >= 0 && isOwnEnd && below.some((name) => start.test(name)) && below.every((name) => starts.test(name))
}
