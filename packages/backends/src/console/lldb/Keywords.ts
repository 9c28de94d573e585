/** Words of C and C++ that name no variable and no member. */

const keywords =
  /^(?:bool|char|short|int|long|float|double|void|signed|unsigned|const|volatile|struct|union|enum|class|sizeof|true|false|nullptr)$/

/** True for such a word. */
export const isKeyword = (word: string): boolean => keywords.test(word)
