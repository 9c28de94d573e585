/**
 * What the card of a request shows: what is asked for in a sentence, the exact code or the arguments, and what that does.
 */
import type { Question } from "../../connection/Answers.ts"
import { nameOf } from "../words/ActorWords.ts"

/** What an effect is, in a sentence's words, and what it can do. */
const effects: { readonly [effect: string]: readonly [string, string] } = {
  eval: ["run code in the program", "It can change the program."],
  "write-memory": ["change a value of the program", "It changes the program."],
  "write-file": ["write a file", "It changes a file of yours."],
  launch: ["start, attach to or end a program", "A program runs with all your permissions."],
  raw: ["run a command of the debugger", "It can do everything that you can."]
}

const effectOf = ({ missing }: Question) => effects[missing[0]?.effect ?? ""]

/** Returns what a question is, as a sentence: `agent asks to run code in the program`. */
export const askWords = (question: Question, own: string): string => {
  const [what] = effectOf(question) ?? [`call ${question.operation}`]
  return `${nameOf(question.actor, own)} asks to ${what}`
}

/** Returns the code of a call that has nothing else, or its operation with all arguments; then what comes from files. */
export const codeOf = ({ function: named, input, missing, operation }: Question): string => {
  // The function says what these fields do.
  const fields = Object.entries(input).filter(([field]) => named === undefined || !["frame", "thread"].includes(field))
  const [[, only] = [], ...others] = fields
  const call =
    typeof only === "string" && others.length === 0
      ? only
      : `${operation} ${JSON.stringify(Object.fromEntries(fields))}`
  const files = missing.flatMap(({ source, value }) => (source === undefined ? [] : [`${value ?? ""}, from ${source}`]))
  return [call, ...files].join("\n")
}

/** Returns what the call does, after the function in which it does it. */
export const consequenceOf = (question: Question): string => {
  const [, consequence = ""] = effectOf(question) ?? []
  const ended = question.missing.flatMap(({ destroys }) => (destroys === undefined ? [] : [`It ends ${destroys}.`]))
  return [consequence, ...ended].join(" ").trim()
}
