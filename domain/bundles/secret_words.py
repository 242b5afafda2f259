"""Words that say what a password is like, and those that make a sentence of several words."""

from __future__ import annotations

from typing import Final

NOT_SECRET_WORDS: Final = frozenset(
    {
        *("option", "options", "flag", "flags", "argument", "arguments", "parameter", "switch"),
        *("absent", "allowed", "always", "any", "array", "auto", "base64", "basic", "bcrypt"),
        *("bearer", "blank", "blocked", "bool", "boolean", "bytes", "changed", "char"),
        *("correct", "default", "denied", "deprecated", "different", "disabled", "dynamic"),
        *("elsewhere", "empty", "enabled", "encrypted", "env", "environment", "expired"),
        *("external", "false", "file", "forgotten", "found", "generated", "hashed", "hidden"),
        *("hint", "ignored", "incorrect", "inherit", "int", "integer", "invalid"),
        *("irrelevant", "known", "leaked", "literal", "long", "lost", "mandatory", "masked"),
        *("missing", "mixed", "never", "new", "nil", "no", "none", "nonempty", "not", "null"),
        *("number", "object", "off", "old", "omitted", "on", "optional", "password"),
        *("placeholder", "plain", "plaintext", "private", "prompt", "provided", "public"),
        *("random", "read", "readonly", "redacted", "refused", "rejected", "removed"),
        *("required", "reset", "restricted", "revoked", "rotated", "safe", "salted", "same"),
        *("secret", "secretstr", "secure", "set", "shared", "short", "shown", "similar"),
        *("simple", "somewhere", "stale", "static", "stored", "str", "string", "strong"),
        *("text", "token", "true", "trusted", "tuple", "type", "unchanged", "unclear"),
        *("undefined", "unique", "unknown", "unsafe", "unset", "untouched", "unused", "used"),
        *("user", "valid", "value", "varchar", "visible", "weak", "word", "write", "wrong"),
        *("yes",),
    }
)
"""What is said of passwords and tokens, and the types that programs give them."""

ENDINGS: Final = (
    *("able", "ant", "ary", "ed", "ent", "ful", "ible", "ing", "ity", "ive", "less"),
    *("ly", "ment", "ness", "ory", "ous", "tion", "where"),
)
"""Of words that are said of things."""

FUNCTION_WORDS: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "cannot"),
        *("for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "least"),
        *("may", "must", "no", "not", "of", "on", "only", "or", "please", "shall", "should"),
        *("than", "that", "the", "then", "this", "to", "use", "was", "were", "when", "which"),
        *("will", "with", "without", "you", "your"),
    }
)
"""One of these is in every sentence about a password, and in no passphrase that is drawn."""
