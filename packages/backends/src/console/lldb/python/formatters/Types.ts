/**
 * Python for LLDB: what kind of type a value has.
 */

/** The source of these questions. It comes first, with the modules that all other sources use. */
export const types = String.raw`import json
import os
import re
import sys

import lldb

DEBUGGERS = []
"""The debugger of this process; a question about a type does not say of which one it is."""

OBJECTS = (lldb.eTypeClassStruct, lldb.eTypeClassClass, lldb.eTypeClassUnion)


def base_type(type):
    """A type without its names, its reference, and its qualifiers."""
    type = type.GetCanonicalType()
    if type.IsReferenceType():
        type = type.GetDereferencedType()
    return type.GetUnqualifiedType().GetCanonicalType()


def is_class(type):
    """True for a structure, class or union."""
    return type.GetTypeClass() in OBJECTS


def is_array(type):
    return type.GetCanonicalType().GetTypeClass() == lldb.eTypeClassArray


def any_of_name(question, type):
    """
    True if a question holds for a class, or for another one of the same name. LLDB asks once for each name, and C has several types of one name:
    those of different files, and all that are unnamed.
    """
    name = type.GetName() or ""
    if question(type) or "(anonymous" in name or "(unnamed" in name:
        return True
    if "::" in name or "<" in name:
        return False
    return any(other.GetName() == name and question(other) for other in DEBUGGERS[-1].GetSelectedTarget().FindTypes(name))


def points_to_pointer(type):
    type = type.GetCanonicalType()
    return type.IsPointerType() and type.GetPointeeType().GetCanonicalType().IsPointerType()
`
