/**
 * Python for LLDB: the children of Rust's `BTreeMap` and `BTreeSet`, for which the tool chain has no formatters for LLDB.
 *
 * A leaf has `len` keys and values; an inner node is a leaf followed by the addresses of `len + 1` nodes (`alloc::collections::btree::node`).
 */

/** The source of the provider. It follows the corrections for Rust. */
export const rustTrees = String.raw`import lldb
import sigtrap_values as own


class Tree(own.Children):
    """BTreeMap and BTreeSet: the keys are the names of a map's children."""

    def read(self, value):
        self.keyed = (value.GetType().GetName() or "").split("<")[0].endswith("BTreeMap")
        tree = value if self.keyed else value.GetChildMemberWithName("map").GetNonSyntheticValue()
        self.key_type = tree.GetType().GetTemplateArgumentType(0)
        self.value_type = tree.GetType().GetTemplateArgumentType(1)
        self.found = []
        self.rest = iter(())
        count = tree.GetChildMemberWithName("length").GetValueAsUnsigned()
        if count == 0:
            return
        root = own.synthetic(tree.GetChildMemberWithName("root")).GetChildAtIndex(0).GetNonSyntheticValue()
        pointer = root.GetChildMemberWithName("node").GetNonSyntheticValue().GetChildMemberWithName("pointer")
        self.leaf_type = pointer.GetType().GetPointeeType()
        self.rest = self.walk(pointer.GetValueAsUnsigned(), root.GetChildMemberWithName("height").GetValueAsUnsigned())
        self.count = count

    def walk(self, address, height):
        leaf = self.value.CreateValueFromAddress("node", address, self.leaf_type).GetNonSyntheticValue()
        length = leaf.GetChildMemberWithName("len").GetValueAsUnsigned()
        if length > 11 or height > 24:
            raise ValueError("no node")
        edges = address + self.leaf_type.GetByteSize()
        for index in range(length + 1):
            if height > 0:
                yield from self.walk(self.pointer(edges, index), height - 1)
            if index < length:
                yield leaf.GetChildMemberWithName("keys").GetLoadAddress(), leaf.GetChildMemberWithName("vals").GetLoadAddress(), index

    def pointer(self, start, index):
        process = self.value.GetProcess()
        width = process.GetAddressByteSize()
        return process.ReadPointerFromMemory(start + width * index, lldb.SBError())

    def child(self, index):
        while len(self.found) <= index:
            self.found.append(next(self.rest))
        keys, values, at = self.found[index]
        key = self.element("[%d]" % index, keys, at, self.key_type)
        if not self.keyed:
            return key
        return self.element("[%s]" % own.text(key, 40), values, at, self.value_type)

    def element(self, name, start, index, type):
        return self.value.CreateValueFromAddress(name, start + index * type.GetByteSize(), type)


def tree_of(value, _):
    """The number of elements, and the first ones."""
    try:
        inside = own.synthetic(value)
        if (value.GetType().GetName() or "").split("<")[0].endswith("BTreeSet"):
            return own.listed(inside, False)
        count = inside.GetNumChildren()
        head, parts = str(count) + " ", []
        for index in range(min(count, own.MOST)):
            child = inside.GetChildAtIndex(index)
            parts.append(child.GetName()[1:-1] + ":" + own.text(child, own.ROOM))
        return head + own.joined(parts, len(parts) == count, own.ROOM - len(head), ",")
    except Exception:
        return "<unreadable>"


own.RustTree, own.rust_tree_of = Tree, tree_of
for kind in ("Map", "Set"):
    for line in (
        'type synthetic add -w Rust -l sigtrap_values.RustTree -x "^(alloc::([a-z_]+::)+)BTree%s<.+>$"',
        'type summary add -w Rust -e -v -F sigtrap_values.rust_tree_of -x "^(alloc::([a-z_]+::)+)BTree%s<.+>$"',
    ):
        lldb.debugger.HandleCommand(line % kind)
`
