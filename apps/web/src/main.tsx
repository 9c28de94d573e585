/**
 * Starts the page: takes the token, connects to the server, and shows the sessions.
 */
import { render } from "preact"
import * as Address from "./connection/Address.ts"
import * as Credentials from "./connection/Credentials.ts"
import { Page } from "./session/Page.ts"
import { App } from "./view/App.tsx"
import { MissingScreen } from "./view/Screens.tsx"
import * as ScrollBarWidth from "./view/layout/ScrollBarWidth.ts"
import * as VisibleText from "./view/parts/VisibleText.ts"

VisibleText.install()
ScrollBarWidth.install()
const root = document.querySelector("#page")
if (root !== null) {
  const { found, session } = await Credentials.take()
  if (typeof found === "string") {
    Address.onSession(() => {})
    render(<MissingScreen missing={found} />, root)
  } else {
    const page = new Page(found, session)
    page.start()
    render(<App page={page} />, root)
  }
}
