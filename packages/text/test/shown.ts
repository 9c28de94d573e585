/** Renders an answer of an operation as a reader gets it. */
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import type * as View from "../src/View.ts"
import { directory } from "./samples.ts"
import { write } from "./written.ts"

/** The text of an answer, without the line feed at its end. */
export const shown = <T extends Operations.Tag>(tag: T, answer: Operations.Answer<T>, view: View.View = {}): string =>
  Doc.render(Render.render(tag, answer, { directory, write, ...view })).trimEnd()

/** Lines of a text. */
export const lines = (...expected: ReadonlyArray<string>): string => expected.join("\n")
