"""What is believed, why, and what speaks against it: pure functions of evidence at a basis.

`statement` reads what a claim says, `pieces` are the shapes of evidence, `independence` finds
which of it comes from one origin, `dimensions` weighs it, `gaps` says what is missing. Policies
that judge it are `domain.validation`.
"""
