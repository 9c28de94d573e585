/**
 * A command line that can be copied.
 */
import { copy } from "../../session/actions/Clipboard.ts"
import { usePage } from "./PageContext.ts"
import { Button } from "./Parts.tsx"

/** A command with the button that copies it. */
export const Command = ({ text }: { readonly text: string }) => {
  const page = usePage()
  return (
    <div class="commandRow">
      <code>
        <span class="faint" aria-hidden="true">
          ${" "}
        </span>
        {text.split(" ").flatMap((word, at) => [
          at === 0 ? "" : " ",
          <span key={at} class="word">
            {word}
          </span>
        ])}
      </code>
      <Button label="Copy" icon="copy" onClick={() => copy(page, text, "The command")} />
    </div>
  )
}
