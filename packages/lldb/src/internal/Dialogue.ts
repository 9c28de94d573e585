/**
 * The text of both streams of an LLDB, cut into answers.
 *
 * A command is followed by a line that is no command: a random word. LLDB prints the word behind its prompt on stdout,
 * when everything before it is done, and says on stderr that there is no such command; what either stream had before is
 * the command's. The prompt is random as well, so that nothing a program prints can end an answer. Text that comes while
 * no command is running, or before LLDB has repeated the command, is no answer.
 */
import type { Notice, Reader } from "../Notice.ts"
import * as Until from "./Until.ts"

/** What LLDB wrote for one command. */
export interface Ended {
  readonly output: string
  readonly errors: string
}

/** What is asked: a command, and what is sent before and after it in one go. */
export interface Asked {
  readonly command: string
  readonly around?: readonly [before: string, after: string] | undefined
}

/** The two streams of one LLDB. */
export interface Dialogue {
  /** Begins to wait for a command's end; gives the lines to send. One at a time. */
  readonly begin: (asked: Asked, mark: string, onEnd: (ended: Ended) => void) => string
  readonly output: (text: string) => void
  readonly errors: (text: string) => void
  /** Reads what is left when nothing more will come. */
  readonly flush: () => void
  /** Whether a confirmation of `thread select` may still come. */
  readonly selecting: () => boolean
}

interface Running extends Asked {
  readonly onEnd: (ended: Ended) => void
  readonly out: Until.Until
  readonly err: Until.Until
  output?: string
  errors?: string
}

const statusForm = /^pro\w*\s+stat\w*\b/
const selectForm = /^t\w*\s+sel\w*\s+\d+\s*$/

/** Cuts a whole line that has the mark off the end of a text. */
const withoutLastLine = (text: string) => text.slice(0, text.lastIndexOf("\n") + 1)

const withoutNewline = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text)

/** The streams of an LLDB with this prompt. */
export const make = (
  prompt: string,
  reader: Reader,
  onNotice: (notice: Notice) => void,
  onSelected: () => void
): Dialogue => {
  let running: Running | undefined
  let idleOut = ""
  let idleErr = ""
  let skipNewline = false
  let selections = 0

  const echoes = new RegExp(`${prompt}[^\\n]*\\n`, "g")
  const tell = (notices: ReadonlyArray<Notice>) => notices.forEach(onNotice)
  const loose = (stream: "output" | "errors", text: string) => {
    const said = text.replace(echoes, "")
    if (said.trim() !== "") onNotice({ kind: "text", stream, text: withoutNewline(said) })
  }

  const idle = (text: string) => {
    const { notices, rest, selections: confirmed } = reader.output(text, selections)
    selections -= confirmed
    if (confirmed > 0) onSelected()
    tell(notices)
    // The line of a frame behind a stop that was read before it came.
    loose("output", rest.replace(/^ {4}frame #\d+: [^\n]*\n/, ""))
  }

  const idleErrors = (text: string) => {
    const { notices, rest } = reader.errors(text)
    tell(notices)
    loose("errors", rest)
  }

  const end = () => {
    if (running?.output === undefined || running.errors === undefined) return
    const { around, command, onEnd } = running
    const whole = running.output
    const echo = `${prompt}${command}\n`
    const at = whole.indexOf(echo)
    if (at > 0) idle(whole.slice(0, at))
    const rest = at < 0 ? whole : whole.slice(at + echo.length)
    const after = around === undefined ? -1 : rest.indexOf(`${prompt}${around[1]}\n`)
    const body = after < 0 ? rest : rest.slice(0, after)
    const errors = reader.errors(running.errors)
    // The confirmation follows its command, or is a part of its answer.
    if (selectForm.test(command) && !/^error:/m.test(errors.rest)) selections += 1
    const read = statusForm.test(command) ? reader.status(body) : reader.output(body, selections)
    selections -= read.selections
    running = undefined
    // LLDB 16 may print the stop first that follows from the command, and what the command says after it.
    tell(read.notices.filter(({ kind }) => kind === "resumed"))
    tell(read.notices.filter(({ kind }) => kind !== "resumed"))
    tell(errors.notices)
    if (after >= 0) idleOut = rest.slice(after) + idleOut
    onEnd({ output: withoutNewline(read.rest.replace(echoes, "")), errors: withoutNewline(errors.rest) })
  }

  const output = (text: string) => {
    if (running === undefined || running.output !== undefined) {
      idleOut += text
      // What may be the rest of a line is kept until it is whole.
      const readable = running === undefined ? reader.readable(idleOut) : 0
      if (readable === 0) return
      const whole = idleOut.slice(0, readable)
      idleOut = idleOut.slice(readable)
      idle(whole)
      return
    }
    const found = running.out.push(text)
    if (found === undefined) return
    running.output = found.before
    idleOut = found.after
    end()
    if (running === undefined) errors("")
    output("")
  }

  const errors = (text: string) => {
    if (skipNewline) {
      // The rest of the line that had the mark.
      const at = text.indexOf("\n")
      if (at < 0) return
      skipNewline = false
      errors(text.slice(at + 1))
      return
    }
    if (running === undefined || running.errors !== undefined) {
      idleErr += text
      if (running !== undefined || !idleErr.endsWith("\n")) return
      const whole = idleErr
      idleErr = ""
      idleErrors(whole)
      return
    }
    const found = running.err.push(text)
    if (found === undefined) return
    running.errors = withoutLastLine(found.before)
    skipNewline = true
    idleErr = ""
    end()
    // What came on stdout behind the mark while stderr had not come to it.
    if (running === undefined) output("")
    errors(found.after)
  }

  return {
    begin: ({ around, command }, mark, onEnd) => {
      running = { command, around, onEnd, out: Until.make(`${prompt}${mark}\n`), err: Until.make(`'${mark}'`) }
      const [out, err] = [idleOut, idleErr]
      idleOut = idleErr = ""
      output(out)
      errors(err)
      const [before, after] = around ?? []
      return [before, command, after, mark].flatMap((line) => (line === undefined ? [] : [`${line}\n`])).join("")
    },
    output,
    errors,
    selecting: () => selections > 0,
    flush: () => {
      if (running !== undefined) {
        idleOut = (running.output ?? running.out.all()) + idleOut
        idleErr = (running.errors ?? running.err.all()) + idleErr
        running = undefined
      }
      idle(idleOut)
      idleErrors(idleErr)
      idleOut = idleErr = ""
    }
  }
}
