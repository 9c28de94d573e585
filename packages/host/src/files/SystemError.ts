/** The text of an error of the system, such as `permission denied`, for messages that name the file themselves. */
import { getSystemErrorMap } from "node:util"

/** Returns what went wrong, without the code, the system call and the path. */
export const describe = (error: unknown): string => {
  const number = error instanceof Error && "errno" in error ? error.errno : undefined
  const known = typeof number === "number" ? getSystemErrorMap().get(number) : undefined
  return known?.[1] ?? (error instanceof Error ? error.message : String(error))
}
