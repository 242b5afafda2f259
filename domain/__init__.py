"""What a memory is and what can happen to it: pure rules, no clock, no dice, no I/O."""
