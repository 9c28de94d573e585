/** An HTTP server on the loopback that offers the files of a folder: where a dry release and tests download from. */
import { createReadStream, existsSync } from "node:fs"
import { createServer } from "node:http"
import { basename, join } from "node:path"

/** A running server. */
export interface FileServer {
  /** Its address, without a slash at the end. */
  readonly address: string
  readonly end: () => void
}

/** Starts a server of the files of a folder; folders inside it are not offered. */
export const start = (folder: string): Promise<FileServer> =>
  new Promise((resolve, reject) => {
    const server = createServer(({ url = "" }, response) => {
      const file = join(folder, basename(url))
      if (existsSync(file)) createReadStream(file).pipe(response)
      else response.writeHead(404).end()
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address !== "object" || address === null) return reject(new Error("no port is free"))
      resolve({
        address: `http://127.0.0.1:${address.port}`,
        end: () => {
          server.close()
          server.closeAllConnections()
        }
      })
    })
  })
