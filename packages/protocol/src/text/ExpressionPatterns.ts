/**
 * The patterns with which `Expression` reads an expression in a language of the C family. They are compiled at first use: together they take
 * more than a millisecond, and most programs that load this module examine no expression.
 */
import * as Lazy from "../Lazy.ts"

/** The names of the builtin types of C and of the frameworks of Apple, as alternatives of a pattern. */
export const builtin =
  "void|bool|_Bool|char|short|int|long|float|double|signed|unsigned|u?int(?:8|16|32|64|ptr|max)_t|s?size_t|ptrdiff_t|wchar_t|char(?:8|16|32)_t|BOOL|NSU?Integer|CGFloat"

/** The patterns of the text of an expression. */
export const patterns = Lazy.make(() => ({
  /**
   * Strings, also those of Python and JavaScript in single quotes. The quote of a lifetime of Rust or in a number of C++ is followed by a
   * word: as the end of such a string it makes a word at a string, and one that is left over is not in the alphabet.
   */
  strings: /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/gu,
  /** Strings of Python that end at three quotes. */
  tripleQuoted: /"""|'''/u,
  /** Marks of an expression within a string, in any language of a debugger: `\(x)`, `#{x}`, `${x}`, `{$x}`, `$(x)`, a back-tick. */
  interpolated: /\\\(|#\{|\$\{|\{\$|\$\(|`/u,
  /** Prefixes of strings that evaluate nothing: `L`, `u8`, `U` of C, `r` and `b` of Python. */
  prefix: /(?<![\p{L}\p{N}_$])(?:L|[uU]8?|[rb]{1,2})(?="")/gu,
  /** A string with another word before it, such as Python's `f"{f()}"`, or behind it, such as the C++ literal `"a"_km`, which calls. */
  wordAtString: /[\p{L}\p{N}_$]""|""[\p{L}\p{N}_$]/u,
  /** A function that GDB names in quotes: `'ns::f(int)'(3)`. */
  calledString: /""\s*\(/u,
  /** Digraphs of C: `<%` is a brace and `<:` is a bracket, except in `<::`. */
  digraph: /<%|%>|<:(?!:[^:>])|:>|%:/u,
  /** A word that begins with a digit, and those that are numbers. Another one is a literal of C++ that calls, such as `3_km`. */
  numberWord: /(?<![\p{L}\p{N}_$.])\.?\d(?:[eEpP][-+]|[\p{L}\p{N}_.])*/gu,
  number:
    /^(?:0[xX][\da-fA-F_.]+(?:[pP][-+]?\d+)?|0[bB][01_]+|0[oO][0-7_]+|[\d_.]+(?:[eE][-+]?[\d_]+)?)(?:[uUlLfFzZjJn]{0,3}|[iuf](?:8|16|32|64|128|size))$/u,
  /** A private member of JavaScript. */
  privateMember: /(?<=\.)#(?=[\p{L}_$])/gu,
  /** Characters allowed outside of strings. Excludes blocks, statements, comments and macros. */
  alphabet: /^[\p{L}\p{N}_$\s.,:?+\-*/%&|^~!<>=()[\]]*$/u,
  comment: /\/[/*]/u,
  /** Operators that are words; those ending in `_eq` assign. */
  wordOperators: /\b(?:and|or|not|xor|bitand|bitor|compl|not_eq)\b/gu,
  wordsThatAct: /\b(?:and_eq|or_eq|xor_eq|new|delete|throw|operator|co_await|co_yield|while|for|goto|asm)\b/u,
  operatorsThatWrite: /\+\+|--|(?:<<|>>)=|[-+*/%&|^]=|(?<![=!<>])=(?!=)/u,
  /** `(int)`, `(struct a *)`, `(T *)` at the end: the parentheses can only contain a type. */
  cast: new RegExp(
    String.raw`\(\s*(?:(?:const|volatile)\s+)*(?:(?:(?:struct|enum|union)\s+[\w:]+|(?:${builtin})(?:\s+(?:${builtin}))*)(?:\s+const)?[\s*&]*|[\w:]+(?:\s+const)?\s*[*&][\s*&]*)$`,
    "u"
  ),
  call: /((?<![\p{L}\p{N}_$])[\p{L}_$][\p{L}\p{N}_$]*|[\])>]|\?\.)\s*\(/gu,
  noCall: new RegExp(String.raw`^(?:sizeof|alignof|_Alignof|typeof|decltype|${builtin})$`, "u"),
  namedCast: /\b(?:static|const|reinterpret|dynamic)_cast\s*<[^()]*$/u,
  /** `[a b]` and `[a b:c]`, Objective-C messages. An index has an operator between two words. */
  message: /\[[^\]]*[\p{L}\p{N}_)\]]\s+[\p{L}_]|(?:^|[^\p{L}\p{N}_$)\]\s])\s*\[/u,
  /** The words of a comparison: a string, a number, a name, an operator or a parenthesis. */
  comparisonWord:
    /\s*(?:("[^"\\\n]*"|'[^'\\\n]*'|-?(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)n?(?![\p{L}\p{N}_$.])|[\p{L}_$][\p{L}\p{N}_$]*)|(===|!==)|(&&|\|\|)|(!)|([()]))/uy
}))
