/**
 * Types as the page shows them beside values, shorter than the debugger writes them. The whole of one is the title of its text.
 */

/** Matches namespaces and modules before a name: `std::`, `alloc::vec::`, `(anonymous namespace)::`. */
const namespaces = /(?:(?:\b[A-Za-z_]\w*|\(anonymous namespace\)|\{anonymous\})::)+(?=[A-Za-z_~])/g

/** Returns a type without `const` and `struct` before it and without namespaces: `vector<Item> &`. */
export const shortType = (type: string): string =>
  type
    .replace(/^(?:(?:const|volatile|struct|class|union|enum) )+(?=[\w(])/, "")
    .replace(namespaces, "")
    .replaceAll("basic_string<char>", "string")
    .replaceAll(" >", ">")
