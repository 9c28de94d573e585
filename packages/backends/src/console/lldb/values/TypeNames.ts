/**
 * Names of types as the debug information has them. LLDB shows the instance of a template as clang writes it, and finds it only
 * by the name that the compiler wrote.
 */

/** Integer types as LLDB and as gcc write them. */
const integers: Readonly<Record<string, string>> = {
  "unsigned long long": "long long unsigned int",
  "unsigned long": "long unsigned int",
  "unsigned short": "short unsigned int",
  "long long": "long long int",
  long: "long int",
  short: "short int"
}

const integer =
  /\b(?:unsigned long long|unsigned long|unsigned short|long long|long|short)\b(?! (?:double|unsigned|int|long))/g

/** Returns a type without the reference to it. */
export const withoutReference = (type: string): string => type.replace(/ ?&{1,2}$/, "")

/** Returns the name of a template's instance as gcc writes it: `P<long unsigned int, Q<int> >`. */
export const ofGcc = (name: string): string =>
  name.replaceAll(integer, (found) => integers[found] ?? found).replaceAll(/>(?=>)/g, "> ")
