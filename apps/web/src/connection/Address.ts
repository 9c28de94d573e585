/**
 * The address of the page: its fragment names the shown session, and has a one-time code when `sigtrap web` opens it.
 */

/** Returns the code and the session of the address. */
export const read = () => {
  const fragment = new URLSearchParams(location.hash.slice(1))
  return { code: fragment.get("code"), session: fragment.get("session") ?? undefined }
}

/** Writes the shown session into the address, without a new entry in the history. */
export const show = (session: string | undefined): void =>
  history.replaceState(null, "", session === undefined ? "/" : `/#session=${encodeURIComponent(session)}`)

/**
 * Calls a function when the person writes another session into the address. An address with a code is loaded anew: the browser
 * does not do that itself if only the fragment differs.
 */
export const onSession = (choose: (session: string) => void): void =>
  addEventListener("hashchange", () => {
    const { code, session } = read()
    if (code !== null) location.reload()
    else if (session !== undefined) choose(session)
  })
