/**
 * Python for LLDB: arrays in unions of gcc, whose length LLDB 19 loses.
 *
 * gcc writes no offset for the members of a union, and LLDB 19 then takes an array for one that begins behind the union: it
 * reports an error and makes the array one without a length, shown as a string up to the next zero byte. The error names the
 * type of the member, from which the length is known.
 */

/** The source of the provider of members. It follows the other providers. */
export const unions = String.raw`LOST = re.compile(
    r"^(\S+) 0x[0-9a-f]+: DW_TAG_member '(.*)' refers to type (0x[0-9a-f]+) which extends beyond the bounds of (0x[0-9a-f]+)"
)
LISTENER = lldb.SBListener("sigtrap")
DEBUGGERS = []
"""The debugger, if its version reports errors as events."""
WHOLE = {}
"""The numbers of the types of arrays by member, by the union: a module's file name and the number of its type."""


def heard():
    """Takes the errors that LLDB reported since the last call."""
    event = lldb.SBEvent()
    while LISTENER.GetNextEvent(event):
        message = lldb.SBDebugger.GetDiagnosticFromEvent(event).GetValueForKey("message").GetStringValue(4096)
        found = LOST.match(message)
        if found:
            module, member, type, union = found.groups()
            WHOLE.setdefault((module, int(union, 16)), {})[member] = int(type, 16)


def listening(read):
    """Runs a function that may load types, and takes the errors about them. While a listener is there, LLDB prints no error, such
    as one of a condition, so it is there for no longer."""
    if not DEBUGGERS:
        return read()
    broadcaster = DEBUGGERS[0].GetBroadcaster()
    broadcaster.AddListener(LISTENER, lldb.SBDebugger.eBroadcastBitError)
    try:
        return read()
    finally:
        broadcaster.RemoveListener(LISTENER, lldb.SBDebugger.eBroadcastBitError)
        heard()


def is_cut(type):
    return type.GetTypeClass() == lldb.eTypeClassArray and "[]" in (type.GetName() or "")


def is_union(type, _=None):
    """True for a union with arrays. LLDB asks this of each type before it reads a value of the type."""
    try:
        classes = (lldb.eTypeClassUnion, lldb.eTypeClassStruct, lldb.eTypeClassClass)
        if type.GetCanonicalType().GetTypeClass() not in classes:
            return False
        # The members of a class are loaded with it.
        count = listening(lambda: type.GetNumberOfFields())
        if type.GetTypeClass() != lldb.eTypeClassUnion:
            return False
        return any(is_cut(type.GetFieldAtIndex(index).GetType()) for index in range(count))
    except Exception:
        return False


def whole_type(value, member):
    """The type of an array of a union, with its length; None if it is unknown."""
    type = value.GetType().GetCanonicalType().GetUnqualifiedType()
    for module in value.GetTarget().module_iter():
        for (name, union), members in list(WHOLE.items()):
            if member in members and module.GetFileSpec().GetFilename() == name and module.GetTypeByID(union) == type:
                return module.GetTypeByID(members[member])
    return None


def lengthened(value, index):
    """An array of a union with its length; None if the member is none, or if it is unknown."""
    value = plain(value)
    child = value.GetChildAtIndex(index)
    name = child.GetName()
    type = whole_type(value, name) if is_cut(child.GetType()) else None
    if type is None or not type.IsValid():
        return None
    # The load address of a union in a register is what the register contains.
    if (value.GetLocation() or "").startswith("0x"):
        return value.CreateValueFromAddress(name, value.GetLoadAddress(), type)
    return value.CreateValueFromData(name, value.GetData(), type)


def anonymous(value, name):
    """The unnamed member of a class or union that has a member with a name; None if there is none."""
    for child in plain(value):
        if not child.GetName() and child.GetIndexOfChildWithName(name) < child.GetNumChildren():
            return child
    return None


class Union(Children):
    """A union with arrays."""

    def read(self, value):
        self.union = value.Dereference() if value.GetType().IsPointerType() else value
        self.count = self.union.GetNumChildren()

    def get_child_index(self, name):
        return self.union.GetIndexOfChildWithName(name)

    def child(self, index):
        return lengthened(self.union, index) or self.union.GetChildAtIndex(index)
`
