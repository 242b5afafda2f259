"""Proposals by a model: any endpoint that speaks OpenAI's chat completions (spec/bundle.md §2)."""

from __future__ import annotations
