"""Validation policies: what evidence a claim needs, as named and versioned data.

`definition` is what a policy asks for, `sources` how it rates where evidence comes from,
`blockers` the names of what can stand against a claim, `judgement` what a policy makes of evidence,
and `shipped` the policies that every workspace has. All are pure functions of the evidence of
`domain.claims`: they decide nothing and write nothing (design.md §6).
"""
