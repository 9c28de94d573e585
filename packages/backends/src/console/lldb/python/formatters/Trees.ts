/**
 * Python for LLDB: finds the elements of trees of libstdc++ one after the other. LLDB's own provider of `std::map` and its relatives
 * follows all elements before each one, so a page of 100 elements takes 5,000 steps of several calls each.
 */

/** The source of the correction of LLDB's provider, which stays as it is where it has another form. */
export const trees = String.raw`class TreeWalk:
    """The nodes of a tree in the order of their elements, read from memory. A node is its color and three pointers."""

    MOST_LEVELS = 128

    def __init__(self, header):
        self.process = header.GetProcess()
        self.width = self.process.GetAddressByteSize()
        self.error = lldb.SBError()
        self.header = header.GetLoadAddress()
        self.nodes = []

    def pointer(self, node, index):
        found = self.process.ReadPointerFromMemory(node + index * self.width, self.error)
        if self.error.Fail():
            raise KeyError("memory")
        return found

    def after(self, node):
        right = self.pointer(node, 3)
        if right != 0:
            for _ in range(self.MOST_LEVELS):
                left = self.pointer(right, 2)
                if left == 0:
                    return right
                right = left
            raise KeyError("levels")
        for _ in range(self.MOST_LEVELS):
            parent = self.pointer(node, 1)
            if self.pointer(parent, 3) != node:
                return parent
            node = parent
        raise KeyError("levels")

    def node(self, index):
        while len(self.nodes) <= index:
            found = self.after(self.nodes[-1]) if self.nodes else self.pointer(self.header, 2)
            if found in (0, self.header):
                raise KeyError("end")
            self.nodes.append(found)
        return self.nodes[index]


def correct_trees():
    """Replaces how LLDB's provider finds a child. Its other parts remain."""
    try:
        provider = lldb.formatters.cpp.gnu_libstdcpp.StdMapLikeSynthProvider
        update, child = provider.update, provider.get_child_at_index
    except AttributeError:
        return

    def updated(self):
        self.walk = None
        return update(self)

    def child_at(self, index):
        if index < 0 or index >= self.num_children():
            return None
        try:
            if getattr(self, "walk", None) is None:
                self.walk = TreeWalk(self.Mheader)
            place = self.walk.node(index) + self.skip_size
            return self.valobj.CreateValueFromAddress("[%d]" % index, place, self.data_type)
        except AttributeError:
            return child(self, index)
        except KeyError:
            return None

    provider.update, provider.get_child_at_index = updated, child_at
`
