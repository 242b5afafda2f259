"""What is wrong with a data folder."""

from __future__ import annotations


class DataFolderError(Exception):
    """The folder cannot be used; the message says why and what to do."""


class FolderInUseError(DataFolderError):
    """Another process owns the folder."""
