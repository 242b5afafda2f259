"""The Agent Knowledge Bundle: what windows of agents' sessions say (docs/spec/bundle.md).

A claim of that specification is a *takeaway* here: `claim` is also a kind of memory.
"""
