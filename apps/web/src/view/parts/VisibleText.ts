/**
 * Makes characters visible that a browser hides or reorders, in every text and title of the page. Program, debugger, sources and
 * other clients may send anything; a mark that turns the direction of a text could make a call look like another one.
 *
 * Each is replaced by signs of the same length, so that places in a text stay what they are. The set is that of the terminal
 * (`packages/text/src/Sanitise.ts`) without the carriage return.
 */
import { options } from "preact"

const harmful = /(?![\n\t\r])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/gu

/** A text without any of them; most texts are. */
const harmless = /^[\t\n\r\x20-\x7e]*$/

/** Returns the sign of a character: the picture of a control character, such as `␛`, or `�`. */
const signOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x20
    ? String.fromCodePoint(0x2400 + code)
    : code === 0x7f
      ? "\u2421"
      : "\ufffd".repeat(character.length)
}

/** Replaces hidden and reordering characters by visible signs. */
export const visibleText = (text: string): string => (harmless.test(text) ? text : text.replaceAll(harmful, signOf))

/** The attributes that show a text. */
const shownAttributes = ["title", "aria-label"] as const

/** Applies it to every text and every element that is drawn from now on. */
export const install = (): void => {
  const before = options.vnode
  options.vnode = (vnode) => {
    // A text is a node without a type, whose properties are the text.
    const [type, text]: readonly [unknown, unknown] = [vnode.type, vnode.props]
    if (type === null && typeof text === "string") Object.assign(vnode, { props: visibleText(text) })
    if (typeof vnode.type === "string") {
      const props: { [name: string]: unknown } = vnode.props
      for (const name of shownAttributes) {
        const value = props[name]
        if (typeof value === "string") props[name] = visibleText(value)
      }
    }
    before?.(vnode)
  }
}
