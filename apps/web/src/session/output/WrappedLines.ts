/**
 * How many lines of a panel a line of output takes: it is broken at the edge of the panel, as a terminal does.
 */

const plain = /^[ -~]*$/

/** Columns between the stops of tabs. */
const tabSize = 8

/** Matches characters that take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u

/** Returns the number of lines of a text in a panel of some columns: 1 or more. */
export const linesOf = (text: string, columns: number): number => {
  if (plain.test(text)) return Math.max(1, Math.ceil(text.length / columns))
  let lines = 1
  let column = 0
  for (const character of text) {
    const width = character === "\t" ? tabSize - (column % tabSize) : wide.test(character) ? 2 : 1
    if (column + width > columns && column > 0) {
      lines += 1
      column = 0
    }
    column += width
  }
  return lines
}
