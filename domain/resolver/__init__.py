"""The temporal policy as a pure function of what is known (spec/policy.md §2).

`resolve.resolve(events, question)` gives one `answers.Answer`. The modules follow the sections:
`events` and `knowledge` (2.1, 2.3), `lineages` (2.4), `deletion` (2.5), `expiry` (2.6),
`supersession` (2.7), `eligibility` (2.8), `policies` (2.9), `answers` (2.10), and `spelling` and
`validation` for what is refused at the door (2.2). `holding` and `policies` take values that any
reader can make, so that every path of the system judges by the same functions.
"""
