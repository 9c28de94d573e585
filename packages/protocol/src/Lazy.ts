/**
 * Values that are made when they are first used. What a module makes when it is loaded delays each start of a program that loads it: a
 * pattern with classes of Unicode takes 0.1 ms, the encoder of a large schema 1 ms.
 */

/** Returns a function that makes a value at its first call and returns it at each call. */
export const make = <A extends object>(first: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= first())
}
