/**
 * The token of this tab. The address that `sigtrap web` opens has a one-time code in its fragment; the page exchanges it for a
 * token, keeps that in session storage, and removes the code from the address.
 */
import * as Address from "./Address.ts"

/** The token, what it allows, and who this page is. */
export interface Credentials {
  readonly token: string
  readonly tiers: ReadonlyArray<string>
  readonly session?: string
  readonly actor: { readonly id: string }
}

/** Why the page has no token: it was opened without a code, or its code was used or has expired. */
export type Missing = "no-code" | "used"

const key = "sigtrap.credentials"

const stored = (): Credentials | undefined => {
  const text = sessionStorage.getItem(key)
  if (text === null) return undefined
  const value: Credentials = JSON.parse(text)
  return value
}

/** Forgets the token, because the server does not accept it. */
export const forget = (): void => sessionStorage.removeItem(key)

const exchange = async (code: string): Promise<Credentials | Missing> => {
  const response = await fetch("/v1/page", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code })
  })
  if (!response.ok) return "used"
  const { data }: { readonly data: Credentials } = await response.json()
  sessionStorage.setItem(key, JSON.stringify(data))
  return data
}

/** Returns the token of this tab, and the session that the address names. */
export const take = async (): Promise<{
  readonly found: Credentials | Missing
  readonly session: string | undefined
}> => {
  const { code, session } = Address.read()
  if (code !== null) Address.show(session)
  const known = stored()
  if (code === null) return { found: known ?? "no-code", session }
  const found = await exchange(code)
  return { found: found === "used" && known !== undefined ? known : found, session }
}
