/**
 * Parses the notices of an LLDB: stops and other changes of the program that it prints without a command.
 *
 * LLDB prints a stop with `thread-stop-format`, which is set to fields between copies of a random token, so that no output,
 * name or value of the program can look like a stop. The other notices are LLDB's usual lines.
 */

/** The program stopped; `thread` is the thread that LLDB selected. LLDB 22 prints only the process where it shows no thread, as at a library. */
export interface Stopped {
  readonly kind: "stopped"
  readonly pid: number
  /** LLDB's index of the thread; absent if there is none. */
  readonly thread?: number
  /** The thread id of the operating system. */
  readonly tid?: number
  /** LLDB's text: `breakpoint 1.1`, `step over`, `signal SIGSEGV: invalid address (fault address: 0x0)`. */
  readonly reason?: string
  readonly threadName?: string
  /** The program counter, `0x…`. */
  readonly address?: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  /** The value that a finished function returned, as LLDB prints a variable: `(int) $0 = 1`. */
  readonly returned?: string
}

/** One notice. */
export type Notice =
  | Stopped
  | { readonly kind: "resumed"; readonly pid: number }
  | { readonly kind: "exited"; readonly pid: number; readonly status: number; readonly reason?: string }
  | { readonly kind: "launched"; readonly pid: number; readonly path: string; readonly arch: string }
  | { readonly kind: "detached"; readonly pid: number }
  /** The program stopped and LLDB resumed it, as at a signal that is passed on. */
  | { readonly kind: "restarted"; readonly pid: number; readonly reason: string }
  /** A loaded library added locations to a breakpoint. */
  | { readonly kind: "locations"; readonly breakpoint: number; readonly added: number }
  /** The program stopped because a condition failed to evaluate. */
  | { readonly kind: "condition"; readonly breakpoint: number; readonly problem: string }
  /** Other output while no command was running. */
  | { readonly kind: "text"; readonly stream: "output" | "errors"; readonly text: string }

/** Returns the settings for this form of notices. The token consists of letters and digits. */
export const settings = (token: string): ReadonlyArray<readonly [name: string, value: string]> => [
  [
    "thread-stop-format",
    `"${open(token, "\\x1e")}${fields.map((one) => `{${one}}`).join(open(token, "\\x1f"))}${open(token, "\\x1e")}\\n"`
  ]
]

// Numbers first; fields that the program or its debug information can name freely come last.
const fields = [
  "${process.id}",
  "${thread.index}",
  "${thread.id%tid}",
  "${frame.pc}",
  "${line.number}",
  "${thread.stop-reason}",
  "${thread.name}",
  "${function.name-without-args}",
  "${line.file.fullpath}",
  "${thread.return-value}"
]

const open = (token: string, mark: string) => `${mark}${token}`

const natural = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const stopOf = (pid: number, token: string, record: string): Stopped => {
  const [, index, tidText, pc, lineText, reason, threadName, name, file, returned] = record.split(`\u001f${token}`)
  const thread = natural(index)
  const tid = natural(tidText)
  const line = natural(lineText)
  const trimmed = (text: string | undefined) => (text === undefined || text.trim() === "" ? undefined : text.trim())
  const parts = {
    threadName: trimmed(threadName),
    function: trimmed(name),
    file: trimmed(file),
    returned: trimmed(returned)
  }
  return {
    kind: "stopped",
    pid,
    ...(thread === undefined ? {} : { thread }),
    ...(tid === undefined ? {} : { tid }),
    ...(reason === undefined || reason === "" ? {} : { reason }),
    ...(pc !== undefined && /^0x[0-9a-fA-F]+$/.test(pc) ? { address: `0x${BigInt(pc).toString(16)}` } : {}),
    ...(line === undefined || line === 0 ? {} : { line }),
    ...(parts.threadName === undefined ? {} : { threadName: parts.threadName }),
    ...(parts.function === undefined ? {} : { function: parts.function }),
    ...(parts.file === undefined ? {} : { file: parts.file }),
    ...(parts.returned === undefined ? {} : { returned: parts.returned })
  }
}

/** Which notices a text can have. */
export interface Reading {
  /** The notices in the text, in order. */
  readonly notices: ReadonlyArray<Notice>
  /** The text without the notices. */
  readonly rest: string
  /** The number of confirmed thread selections in the text. */
  readonly selections: number
}

/** Parses the output of one LLDB. */
export interface Reader {
  /** Parses complete stdout text. `selections` is the number of `thread select` confirmations that may be in it. */
  readonly output: (text: string, selections: number) => Reading
  /** Parses the output of `process status`, which itself has the form of a notice. */
  readonly status: (text: string) => Reading
  /** Parses complete stderr text. */
  readonly errors: (text: string) => Reading
  /** Returns the length of the part of a text that can be parsed before more text comes. */
  readonly readable: (text: string) => number
}

const frameLine = "(?:[ ]{4}frame #\\d+: [^\\n]*\\n)?(?:Target \\d+: \\([^\\n]*\\) stopped\\.\\n)?"

const conditionForm =
  /^(?:error: s|S)topped due to an error evaluating condition of breakpoint (\d+)\.\d+: "[^\n]*"\n(?:Couldn't parse conditional expression:\n)?([\s\S]*?)(?:\n\n|\n?(?![\s\S]))/gm

/** The forms of LLDB's lines, each with its notice. */
const lineForms: ReadonlyArray<readonly [RegExp, (words: ReadonlyArray<string>) => Notice]> = [
  [/^Process (\d+) resuming$/, ([pid]) => ({ kind: "resumed", pid: Number(pid) })],
  [/^Process (\d+) detached$/, ([pid]) => ({ kind: "detached", pid: Number(pid) })],
  [
    /^Process (\d+) exited with status = (-?\d+) \(0x[0-9a-f]+\) ?(.*)$/,
    ([pid, status, reason = ""]) => ({
      kind: "exited",
      pid: Number(pid),
      status: Number(status),
      ...(reason.trim() === "" ? {} : { reason: reason.trim() })
    })
  ],
  [
    /^Process (\d+) launched: '(.*)' \(([^()]*)\)$/,
    ([pid, path = "", arch = ""]) => ({ kind: "launched", pid: Number(pid), path, arch })
  ],
  [
    /^Process (\d+) stopped and restarted: ?(.*)$/,
    ([pid, reason = ""]) => ({ kind: "restarted", pid: Number(pid), reason })
  ],
  [
    /^(\d+) locations? added to breakpoint (\d+)$/,
    ([added, breakpoint]) => ({ kind: "locations", breakpoint: Number(breakpoint), added: Number(added) })
  ]
]

const lineNotice = (line: string): Notice | undefined => {
  for (const [form, made] of lineForms) {
    const found = form.exec(line)
    if (found !== null) return made(found.slice(1))
  }
  return undefined
}

/** Formats a stop record inside the output of a command as LLDB would. */
const shown = (token: string, record: string): string => {
  const { reason, returned, thread, threadName } = stopOf(0, token, record)
  const name = threadName === undefined ? "" : `, name = '${threadName}'`
  const why = reason === undefined ? "" : `, stop reason = ${reason}`
  return `thread #${thread ?? 0}${name}${why}${returned === undefined ? "" : `\nReturn value: ${returned}`}`
}

/** Creates the reader for the token of the settings. */
export const reader = (token: string): Reader => {
  const mark = `\u001e${token}`
  const record = `\\x1e${token}([\\s\\S]*?)\\x1e${token}`
  const stops = () => new RegExp(`Process (\\d+) stopped\\n(?:[* ] )?${record}\\n${frameLine}`, "g")
  const selected = () => new RegExp(`^\\* ${record}\\n[ ]{4}frame #\\d+: [^\\n]*\\n`, "gm")
  const rendered = (text: string) =>
    text.includes(`\u001e${token}`)
      ? text.replace(new RegExp(record, "g"), (_, one: string) => shown(token, one))
      : text

  /** Removes the notice lines from a text between two stops. */
  const lines = (text: string, notices: Array<Notice>): string =>
    /^(?:Process \d+ |\d+ locations? added)/m.test(text)
      ? text
          .split(/(?<=\n)/)
          .filter((line) => {
            const notice = line.endsWith("\n") ? lineNotice(line.slice(0, -1)) : undefined
            if (notice !== undefined) notices.push(notice)
            return notice === undefined
          })
          .join("")
      : text

  const output: Reader["output"] = (text, expected) => {
    const notices: Array<Notice> = []
    let rest = ""
    let from = 0
    for (const found of text.matchAll(stops())) {
      rest += lines(text.slice(from, found.index), notices)
      notices.push(stopOf(Number(found[1]), token, found[2] ?? ""))
      from = found.index + found[0].length
    }
    rest += lines(text.slice(from), notices)
    let selections = 0
    if (expected > 0) rest = rest.replace(selected(), (all) => (selections++ < expected ? "" : all))
    return { notices, rest: rendered(rest), selections: Math.min(selections, expected) }
  }

  /**
   * Returns the output of `process status` with a notice as a whole before the answer. LLDB prints both at the same time: the first lines of
   * both can come before what follows either of them.
   */
  const untangled = (text: string): string => {
    const both = /^Process \d+ stopped\n(?=Process \d+ stopped\n)/m.exec(text)
    if (both === null) return text
    const from = both.index + both[0].length
    const [answer = ""] = /^.*\n/.exec(text.slice(from)) ?? []
    const joined = text.slice(0, from) + text.slice(from + answer.length)
    const [notice] = joined.slice(both.index).match(stops()) ?? []
    if (notice === undefined) return text
    const end = joined.indexOf(notice, both.index) + notice.length
    return joined.slice(0, end) + answer + joined.slice(end)
  }

  return {
    output,
    status: (all) => {
      if (/^Process \d+ is running/m.test(all)) return output(all, 0)
      const text = untangled(all)
      const own = Math.max(
        ...Array.from(text.matchAll(/^Process \d+ (?:stopped|exited with status)/gm), ({ index }) => index),
        0
      )
      const before = output(text.slice(0, own), 0)
      return { ...before, rest: before.rest + rendered(text.slice(own)) }
    },
    errors: (text) => {
      const notices: Array<Notice> = []
      const rest = text.replace(conditionForm, (_, id: string, problem: string) => {
        notices.push({ kind: "condition", breakpoint: Number(id), problem: problem.trim() })
        return ""
      })
      return { notices, rest, selections: 0 }
    },
    readable: (text) => {
      const whole = text.lastIndexOf("\n") + 1
      // The start of the last stop or confirmation, if its record may still be incomplete.
      const last = Array.from(text.matchAll(/Process \d+ stopped\n|(?<!stopped\n)^\* /gm)).at(-1)
      if (last === undefined) return whole
      const stop = last[0].startsWith("Process")
      const rest = text.slice(last.index + (stop ? last[0].length : 0))
      const mayBeRecord = `* ${mark}`.startsWith(rest) || `  ${mark}`.startsWith(rest) || rest.slice(2).startsWith(mark)
      const ended = rest.indexOf(`${mark}\n`, 2 + mark.length)
      // A confirmation ends with the line of its frame.
      const open = ended < 0 || (!stop && !rest.includes("\n", ended + mark.length + 1))
      return mayBeRecord && open ? Math.min(whole, last.index) : whole
    }
  }
}
