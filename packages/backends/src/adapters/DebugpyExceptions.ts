/** Reads the exceptions in a group of Python (`ExceptionGroup`, PEP 654) at a stop of debugpy. */

/**
 * An expression that debugpy evaluates in the frame of the stop, where `__exception__` has type, value and traceback. Its value is JSON in
 * hexadecimal digits: at most 8 exceptions, those of groups in the group in their places. The last entry of a traceback is where an exception
 * was raised. `format_exception_only` shows also an exception whose `__str__` fails.
 */
export const members = `(lambda traceback, json, group, within:
 json.dumps([dict(text="".join(traceback.format_exception_only(type(one), one)).strip()[:300],
  **next((dict(function=getattr(frame.f_code, "co_qualname", frame.f_code.co_name), file=frame.f_code.co_filename, line=line)
   for frame, line in list(traceback.walk_tb(one.__traceback__))[-1:]), {}))
  for one in (within(within, group, __exception__[1]) if isinstance(__exception__[1], group) else [])[:8]]).encode().hex()
)(__import__("traceback"), __import__("json"), getattr(__import__("builtins"), "BaseExceptionGroup", ()),
 lambda within, group, one: sum((within(within, group, inner) for inner in one.exceptions), []) if isinstance(one, group) else [one])`.replaceAll(
  /\n */g,
  " "
)
