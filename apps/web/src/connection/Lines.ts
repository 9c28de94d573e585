/**
 * Reads lines in short tasks, so that the browser draws and takes input while much arrives.
 */

/** The time for which lines are passed on without a rest, in milliseconds. What they change is drawn in the same task. */
const taskTime = 12

/** The time, and the end of a task. */
export interface Tasks {
  /** Returns the time in milliseconds. */
  readonly now: () => number
  /** Resolves in a new task. */
  readonly rest: () => Promise<void>
}

/** Tasks of the browser. A message begins a new task also in a hidden tab, where a timer waits for up to a minute. */
const browserTasks: Tasks = {
  now: () => performance.now(),
  rest: () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener("message", () => {
        port1.close()
        resolve()
      })
      port1.start()
      port2.postMessage(undefined)
    })
}

/** Resolves in a new task. */
export const newTask = (): Promise<void> => browserTasks.rest()

/** Calls a function with each item, in tasks of a bounded time. */
export const inTasks = async <Item>(
  items: ReadonlyArray<Item>,
  onItem: (item: Item) => void,
  tasks: Tasks = browserTasks
): Promise<void> => {
  let began = tasks.now()
  for (const item of items) {
    if (tasks.now() - began > taskTime) {
      await tasks.rest()
      began = tasks.now()
    }
    onItem(item)
  }
}

/**
 * Calls a function with each line of a body that is not empty. Each piece of the body has a task of its own, and a long piece has
 * several. Without rests, all pieces that have arrived would be read in one task: a read of one that is there needs no new task.
 */
export const readLines = async (
  body: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
  tasks: Tasks = browserTasks
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const texts = (rest + decoder.decode(value, { stream: true })).split("\n")
    rest = texts.pop() ?? ""
    await inTasks(
      texts.filter((text) => text !== ""),
      onText,
      tasks
    )
    await tasks.rest()
  }
}
