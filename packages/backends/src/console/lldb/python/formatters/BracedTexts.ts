/**
 * Python for LLDB: texts in braces that have room for some of their members only, such as `{from:{x:1, y:2, …}, …}`.
 */

/** The source of the functions that join and cut them. */
export const bracedTexts = String.raw`def joined(parts, whole, room, separator):
    """Texts in braces, as many as have room, and the beginning of the next one."""
    shown = []
    used = 2
    for index, part in enumerate(parts):
        last = whole and index == len(parts) - 1
        more = 0 if last else 1 + len(separator)
        if used + len(part) + more > room:
            whole = last
            shown.append(beginning(part, room - used - more))
            break
        shown.append(part)
        used += len(part) + len(separator)
    tail = [] if whole or shown[-1:] == ["…"] else ["…"]
    return "{" + separator.join(shown + tail) + "}"


def unquoted(part):
    """The places and characters of a text that are outside of its strings and characters."""
    quote = ""
    skip = False
    for index, character in enumerate(part):
        if skip:
            skip = False
        elif quote:
            skip = character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            yield index, character


def beginning(part, room):
    """The first members of a text in braces that has no room; an ellipsis if none of them has."""
    depth = 0
    shown = "…"
    for index, character in unquoted(part):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == "," and depth > 0:
            end = index + 2 if part[index + 1 : index + 2] == " " else index + 1
            cut = part[:end] + ending(part[end:])
            if len(cut) > room:
                break
            shown = cut
    return shown


def ending(rest):
    """The closing braces of the rest of a text, with an ellipsis in each pair of braces that has more members."""
    shown = "…"
    depth = 0
    is_left_out = True
    for index, character in unquoted(rest):
        if character == "{":
            depth += 1
        elif character == "}" and depth > 0:
            depth -= 1
        elif character == "}":
            shown += "}"
            is_left_out = False
        elif character == "," and depth == 0 and not is_left_out:
            shown += ", …" if rest[index + 1 : index + 2] == " " else ",…"
            is_left_out = True
    return shown + rest[rest.rfind("}") + 1 :]
`
