/** Keeps the last bytes of a stream of any length, as text for error messages. */

/** The last bytes of a stream. */
export interface Tail {
  readonly push: (chunk: Uint8Array) => void
  /** Returns the kept bytes as text; invalid UTF-8 is replaced. */
  readonly text: () => string
}

/** Creates a tail of at most `limit` bytes. */
export const make = (limit: number): Tail => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return {
    push: (chunk) => {
      const kept = chunk.length > limit ? chunk.slice(chunk.length - limit) : chunk
      chunks.push(kept)
      size += kept.length
      for (let first = chunks[0]; first !== undefined && size - first.length >= limit; first = chunks[0]) {
        chunks.shift()
        size -= first.length
      }
      // Chunks can be single bytes; thousands of them would need more memory than their content.
      if (chunks.length > 256) chunks.splice(0, chunks.length, join(chunks, size))
    },
    text: () => new TextDecoder().decode(join(chunks, size).subarray(Math.max(0, size - limit)))
  }
}

const join = (chunks: ReadonlyArray<Uint8Array>, size: number) => {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
