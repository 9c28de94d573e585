/**
 * What LLDB says by itself about the program, as records.
 *
 * The stop of a program is printed by `thread-stop-format`, which is set to fields of ours between a token that is random
 * for each LLDB: nothing that a program prints, names or holds can look like one. The other notices are LLDB's own lines.
 */

/** The program stopped; the thread is the one that LLDB selected. */
export interface Stopped {
  readonly kind: "stopped"
  readonly pid: number
  /** LLDB's own number of the thread; absent when there is none. */
  readonly thread?: number
  /** The operating system's number of the thread. */
  readonly tid?: number
  /** LLDB's words: `breakpoint 1.1`, `step over`, `signal SIGSEGV: invalid address (fault address: 0x0)`. */
  readonly reason?: string
  readonly threadName?: string
  /** The program counter, `0x…`. */
  readonly address?: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  /** What a finished function returned, as LLDB writes a variable: `(int) $0 = 1`. */
  readonly returned?: string
}

/** One thing that LLDB said by itself. */
export type Notice =
  | Stopped
  | { readonly kind: "resumed"; readonly pid: number }
  | { readonly kind: "exited"; readonly pid: number; readonly status: number; readonly reason?: string }
  | { readonly kind: "launched"; readonly pid: number; readonly path: string; readonly arch: string }
  | { readonly kind: "detached"; readonly pid: number }
  /** It stopped and went on by itself, as at a signal that is passed on. */
  | { readonly kind: "restarted"; readonly pid: number; readonly reason: string }
  /** A library brought places of a breakpoint. */
  | { readonly kind: "locations"; readonly breakpoint: number; readonly added: number }
  /** A condition cannot be evaluated: the program stopped because of it. */
  | { readonly kind: "condition"; readonly breakpoint: number; readonly problem: string }
  /** Anything else that came while no command was running. */
  | { readonly kind: "text"; readonly stream: "output" | "errors"; readonly text: string }

/** The settings that make LLDB write its notices so. The token is letters and digits. */
export const settings = (token: string): ReadonlyArray<readonly [name: string, value: string]> => [
  [
    "thread-stop-format",
    `"${open(token, "\\x1e")}${fields.map((one) => `{${one}}`).join(open(token, "\\x1f"))}${open(token, "\\x1e")}\\n"`
  ]
]

// Numbers first; what the program or its debug information can name freely comes last.
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
  const said = (text: string | undefined) => (text === undefined || text.trim() === "" ? undefined : text.trim())
  const parts = { threadName: said(threadName), function: said(name), file: said(file), returned: said(returned) }
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
  /** All that the text has, in order. */
  readonly notices: ReadonlyArray<Notice>
  /** The text without them. */
  readonly rest: string
  /** The threads of the selections that LLDB confirmed in the text. */
  readonly selections: number
}

/** Reads notices out of what one LLDB writes. */
export interface Reader {
  /** Of a whole text of stdout. `selections` is how many confirmations of `thread select` may be in it. */
  readonly output: (text: string, selections: number) => Reading
  /** Of the answer to `process status`, which has the form of a notice itself. */
  readonly status: (text: string) => Reading
  /** Of a whole text of stderr. */
  readonly errors: (text: string) => Reading
  /** How much of a text that may go on later can be read already. */
  readonly readable: (text: string) => number
}

const frameLine = "(?:[ ]{4}frame #\\d+: [^\\n]*\\n)?(?:Target \\d+: \\([^\\n]*\\) stopped\\.\\n)?"

const conditionForm =
  /^(?:error: s|S)topped due to an error evaluating condition of breakpoint (\d+)\.\d+: "[^\n]*"\n(?:Couldn't parse conditional expression:\n)?([\s\S]*?)(?:\n\n|\n?(?![\s\S]))/gm

/** LLDB's own lines, each with what it says. */
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

/** A record that belongs to an answer, in LLDB's own words. */
const shown = (token: string, record: string): string => {
  const { reason, returned, thread, threadName } = stopOf(0, token, record)
  const name = threadName === undefined ? "" : `, name = '${threadName}'`
  const why = reason === undefined ? "" : `, stop reason = ${reason}`
  return `thread #${thread ?? 0}${name}${why}${returned === undefined ? "" : `\nReturn value: ${returned}`}`
}

/** The reader for the token that the settings were made with. */
export const reader = (token: string): Reader => {
  const mark = `\u001e${token}`
  const record = `\\x1e${token}([\\s\\S]*?)\\x1e${token}`
  const stops = () => new RegExp(`Process (\\d+) stopped\\n(?:[* ] )?${record}\\n${frameLine}`, "g")
  const selected = () => new RegExp(`^\\* ${record}\\n[ ]{4}frame #\\d+: [^\\n]*\\n`, "gm")
  const rendered = (text: string) =>
    text.includes(`\u001e${token}`)
      ? text.replace(new RegExp(record, "g"), (_, one: string) => shown(token, one))
      : text

  /** Takes LLDB's own lines out of a text between two stops. */
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

  return {
    output,
    status: (text) => {
      if (/^Process \d+ is running/m.test(text)) return output(text, 0)
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
      // The last beginning of a stop or of a confirmation, when what follows may still become its record.
      const last = Array.from(text.matchAll(/Process \d+ stopped\n|(?<!stopped\n)^\* /gm)).at(-1)
      if (last === undefined) return whole
      const stop = last[0].startsWith("Process")
      const rest = text.slice(last.index + (stop ? last[0].length : 0))
      const begun = `* ${mark}`.startsWith(rest) || `  ${mark}`.startsWith(rest) || rest.slice(2).startsWith(mark)
      const ended = rest.indexOf(`${mark}\n`, 2 + mark.length)
      // A confirmation is whole with the line of its frame.
      const open = ended < 0 || (!stop && !rest.includes("\n", ended + mark.length + 1))
      return begun && open ? Math.min(whole, last.index) : whole
    }
  }
}
