"""JSON as jansson reads it: a second reference, written in C by others."""

import ctypes

NAME = "libjansson.so.4"
DECODE_ANY, ALLOW_NUL = 0x4, 0x10
ENCODE_ANY, DIGITS_17 = 0x200, 17 << 11  # of a double: none is lost

# What it says of a text that it does not take.
INVALID_SYNTAX, NUL_IN_KEY, NUMERIC_OVERFLOW = 8, 13, 15


class Error(ctypes.Structure):
    """json_error_t: the last byte of its text is the code."""
    _fields_ = [("line", ctypes.c_int), ("column", ctypes.c_int), ("position", ctypes.c_int),
                ("source", ctypes.c_char * 80), ("text", ctypes.c_char * 159),
                ("code", ctypes.c_ubyte)]


class Jansson:
    def __init__(self):
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self.jansson = ctypes.CDLL(NAME)
        self.jansson.json_loadb.restype = pointer
        self.jansson.json_loadb.argtypes = [ctypes.c_char_p, size, size, pointer]
        self.jansson.json_dumps.restype = pointer
        self.jansson.json_dumps.argtypes = [pointer, size]
        self.jansson.json_delete.argtypes = [pointer]
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [pointer]

    def read(self, data):
        """(what it reads, written as JSON; None), or (None, the code of its refusal)."""
        error = Error()
        value = self.jansson.json_loadb(data, len(data), DECODE_ANY | ALLOW_NUL,
                                        ctypes.byref(error))
        if not value:
            return None, error.code
        text = self.jansson.json_dumps(value, ENCODE_ANY | DIGITS_17)
        written = ctypes.string_at(text) if text else b"not written"
        self.free(text)
        self.jansson.json_delete(value)  # nobody else has a reference to it
        return written, None


def installed():
    """None where it is not."""
    try:
        return Jansson()
    except OSError:
        return None
