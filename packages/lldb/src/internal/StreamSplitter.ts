/**
 * Splits the output of an LLDB on both streams into the output of each command, and the rest.
 *
 * A random word, the mark, is sent after each command. When the command is done, LLDB echoes the mark after its prompt on
 * stdout and reports an unknown command on stderr; the text before it on each stream belongs to the command. The prompt is
 * random too, so that no output of a program can end a command. Text without a running command, or before LLDB has echoed
 * the command, belongs to no command.
 */
import type { Notice, Reader } from "../Notice.ts"
import * as MarkSearch from "./MarkSearch.ts"

/** The output of one command. */
export interface Ended {
  readonly output: string
  readonly errors: string
}

/** A command, and the commands that are sent before and after it at the same time. */
export interface Request {
  readonly command: string
  readonly around?: readonly [before: string, after: string] | undefined
}

/** The splitter of one LLDB. */
export interface StreamSplitter {
  /** Starts a command and returns the lines to send. One command runs at a time. */
  readonly begin: (request: Request, mark: string, onEnd: (ended: Ended) => void) => string
  readonly output: (text: string) => void
  readonly errors: (text: string) => void
  /** Processes the remaining text at the end of the streams. */
  readonly flush: () => void
  /** Returns whether a confirmation of `thread select` may still come. */
  readonly selecting: () => boolean
}

/**
 * Stops that LLDB prints as one line, without `thread-stop-format`: LLDB 22 does so where no thread has a reason that it shows, as at a
 * loaded library.
 */
export interface BareStops {
  /** Whether this LLDB may print them. */
  readonly possible: () => boolean
  /** Called when the line has come, and perhaps the rest of the stop follows. The next command shows that none does. */
  readonly seen: () => void
}

interface Running extends Request {
  readonly onEnd: (ended: Ended) => void
  readonly out: MarkSearch.MarkSearch
  readonly err: MarkSearch.MarkSearch
  output?: string
  errors?: string
}

const statusForm = /^pro\w*\s+stat\w*\b/
const selectForm = /^t\w*\s+sel\w*\s+\d+\s*$/

/** The commands that resume the program. Their output may have its next stop. */
const resumeForm = /^(?:process (?:continue|launch|attach|connect)|thread (?:step-|until|continue))/
const resumedForm = /^Process \d+ resuming$/m
const bareStopForm = /^Process (\d+) stopped\n/gm
const bareStopAtEnd = /(?:^|\n)Process \d+ stopped\n$/

/** Removes the stops of one line from a text. */
const withoutBareStops = (text: string): readonly [text: string, stops: ReadonlyArray<Notice>] => {
  const stops = Array.from(text.matchAll(bareStopForm), ([, pid]): Notice => ({ kind: "stopped", pid: Number(pid) }))
  return stops.length === 0 ? [text, stops] : [text.replace(bareStopForm, ""), stops]
}

/** Removes the last line, which contains the mark. */
const withoutLastLine = (text: string) => text.slice(0, text.lastIndexOf("\n") + 1)

const withoutNewline = (text: string) => (text.endsWith("\n") ? text.slice(0, -1) : text)

/** Creates the splitter of an LLDB with this prompt. */
export const make = (
  prompt: string,
  reader: Reader,
  onNotice: (notice: Notice) => void,
  onSelected: () => void,
  bareStops: BareStops
): StreamSplitter => {
  let running: Running | undefined
  let idleOut = ""
  let idleErr = ""
  let skipNewline = false
  let selections = 0

  const echoes = new RegExp(`${prompt}[^\\n]*\\n`, "g")
  const emitAll = (notices: ReadonlyArray<Notice>) => notices.forEach(onNotice)
  const emitText = (stream: "output" | "errors", text: string) => {
    const unprompted = text.replace(echoes, "")
    if (unprompted.trim() !== "") onNotice({ kind: "text", stream, text: withoutNewline(unprompted) })
  }

  const idle = (text: string) => {
    const { notices, rest, selections: confirmed } = reader.output(text, selections)
    selections -= confirmed
    if (confirmed > 0) onSelected()
    emitAll(notices)
    const [others, stops] = bareStops.possible() ? withoutBareStops(rest) : [rest, []]
    // Removes the frame line of a stop that was processed before this line came.
    emitText("output", others.replace(/^ {4}frame #\d+: [^\n]*\n/, ""))
    emitAll(stops)
  }

  const idleErrors = (text: string) => {
    const { notices, rest } = reader.errors(text)
    emitAll(notices)
    emitText("errors", rest)
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
    // The confirmation follows the command, or is part of its output.
    if (selectForm.test(command) && !/^error:/m.test(errors.rest)) selections += 1
    const read = statusForm.test(command) ? reader.status(body) : reader.output(body, selections)
    selections -= read.selections
    const mayStop = bareStops.possible() && (resumeForm.test(command) || resumedForm.test(body))
    const [answer, stops] = mayStop ? withoutBareStops(read.rest) : [read.rest, []]
    running = undefined
    // LLDB 16 may print the stop that a command causes before `Process N resuming`.
    emitAll(read.notices.filter(({ kind }) => kind === "resumed"))
    emitAll(read.notices.filter(({ kind }) => kind !== "resumed"))
    emitAll(errors.notices)
    emitAll(stops)
    if (after >= 0) idleOut = rest.slice(after) + idleOut
    onEnd({ output: withoutNewline(answer.replace(echoes, "")), errors: withoutNewline(errors.rest) })
  }

  const output = (text: string) => {
    if (running === undefined || running.output !== undefined) {
      idleOut += text
      // An incomplete line is kept.
      const readable = running === undefined ? reader.readable(idleOut) : 0
      if (readable > 0) {
        const whole = idleOut.slice(0, readable)
        idleOut = idleOut.slice(readable)
        idle(whole)
      }
      if (running === undefined && bareStops.possible() && bareStopAtEnd.test(idleOut)) bareStops.seen()
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
      // Skips the rest of the line with the mark.
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
    // Processes the stdout text that came after the mark, while stderr had not reached it.
    if (running === undefined) output("")
    errors(found.after)
  }

  return {
    begin: ({ around, command }, mark, onEnd) => {
      running = {
        command,
        around,
        onEnd,
        out: MarkSearch.make(`${prompt}${mark}\n`),
        err: MarkSearch.make(`'${mark}'`)
      }
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
