"""JSON without `json`: that package imports `re`, which takes longer than a scorer. Underneath it lies a reader and a writer
that Python has built in, and these two functions call them; where Python has none, they call `json` after all."""

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:
    make_scanner = None


class _Plain:
    """What the built-in reader asks for: nothing special."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}


def _refuse(value):
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def loads(text):
    """The value of a text that is known to be JSON."""
    try:
        scan = make_scanner(_Plain)
    except (TypeError, AttributeError):
        import json

        return json.loads(text)
    value, _ = scan(text, len(text) - len(text.lstrip()))
    return value


def dumps(value):
    """The text of a value; infinities and what is not a number are refused."""
    try:
        encode = make_encoder({}, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    except (TypeError, NameError):
        import json

        return json.dumps(value, allow_nan=False)
    return "".join(encode(value, 0))
