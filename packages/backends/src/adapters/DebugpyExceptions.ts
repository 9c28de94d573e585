/** Reads the exceptions in a group of Python (`ExceptionGroup`, PEP 654) at a stop of debugpy. */

/**
 * An expression that debugpy evaluates in the frame of the stop, where `__exception__` has type, value and traceback. Its value is JSON in
 * hexadecimal digits: at most 8 exceptions, those of groups in the group in their places. The last entry of a traceback is where an exception
 * was raised. `format_exception_only` shows also an exception whose `__str__` fails.
 */
export const members = `(lambda traceback, json, within:
 json.dumps([dict(text="".join(traceback.format_exception_only(type(one), one)).strip()[:300],
  **next((dict(function=getattr(frame.f_code, "co_qualname", frame.f_code.co_name), file=frame.f_code.co_filename, line=line)
   for frame, line in list(traceback.walk_tb(one.__traceback__))[-1:]), {}))
  for one in within(within, __exception__[1])[:8]]).encode().hex()
)(__import__("traceback"), __import__("json"),
 lambda within, one: sum((within(within, inner) for inner in one.exceptions), []) if hasattr(one, "exceptions") else [one])`.replaceAll(
  /\n */g,
  " "
)
