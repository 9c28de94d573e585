/**
 * The text that `sigtrap web` prints after it opened the page.
 */
import type { PageOpener } from "@sigtrap/host"

/** Returns the text: what was opened, or the address to open. */
export const describe = ({ opened, tiers, url }: PageOpener.Opened): string =>
  opened
    ? `opened ${url} · ${tiers.join(", ")}\n`
    : `no browser was found; open this address within 60 s, it works once · ${tiers.join(", ")}\n${url}\n`
