// The framing of the Debug Adapter Protocol for the two adapters of the demo, which run without any package.

/** Encodes a message. */
export const encode = (message) => {
  const body = Buffer.from(JSON.stringify(message))
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
}

/** Returns a function that decodes chunks and calls back for each message. */
export const reader = (use) => {
  let held = Buffer.alloc(0)
  return (chunk) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const end = held.indexOf("\r\n\r\n")
      if (end < 0) return
      const length = Number(/content-length: *(\d+)/i.exec(held.toString("latin1", 0, end))?.[1])
      if (held.length < end + 4 + length) return
      const body = held.toString("utf8", end + 4, end + 4 + length)
      held = held.subarray(end + 4 + length)
      use(JSON.parse(body))
    }
  }
}
