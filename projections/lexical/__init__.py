"""Full-text recall: one analyzer, and exact BM25 over the eligible versions (design.md §5)."""
