/**
 * Python for LLDB: one-line summaries of durations and points in time of `std::chrono`. They read memory only.
 */

/** The source of the summaries. */
export const times = String.raw`import datetime


UNITS = {
    (1, 1000000000): "ns",
    (1, 1000000): "us",
    (1, 1000): "ms",
    (1, 1): "s",
    (60, 1): "min",
    (3600, 1): "h",
    (86400, 1): "d",
}


def ratio(type):
    found = re.search(r"ratio<(\d+)L?L?,\s*(\d+)L?L?>", type.GetCanonicalType().GetName() or "")
    return (int(found.group(1)), int(found.group(2))) if found else (1, 1)


def duration_of(value):
    count = member(value, "__r")
    if not count.IsValid():
        count = member(value, "__rep_")
    period = ratio(base_type(value.GetType()))
    unit = UNITS.get(period)
    return count.GetValue() + (unit if unit else " * " + str(period[0]) + "/" + str(period[1]) + " s")


def time_of(value):
    since = member(value, "__d")
    if not since.IsValid():
        since = member(value, "__d_")
    if "system_clock" not in (base_type(value.GetType()).GetName() or ""):
        return duration_of(since, None)
    count = member(since, "__r")
    if not count.IsValid():
        count = member(since, "__rep_")
    period = ratio(base_type(since.GetType()))
    ticks = count.GetValueAsSigned() * period[0]
    seconds, rest = divmod(ticks, period[1])
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    digits = len(str(period[1])) - 1
    fraction = ("." + str(rest).zfill(digits)).rstrip("0").rstrip(".") if digits else ""
    return day.isoformat() + fraction + "Z"
`
