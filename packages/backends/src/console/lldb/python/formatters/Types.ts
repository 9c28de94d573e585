/**
 * Python for LLDB: what kind of type a value has.
 */

/** The source of these questions. It comes first, with the modules that all other sources use. */
export const types = String.raw`import json
import os
import re
import sys

import lldb

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


def points_to_pointer(type):
    type = type.GetCanonicalType()
    return type.IsPointerType() and type.GetPointeeType().GetCanonicalType().IsPointerType()
`
