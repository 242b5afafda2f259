"""Recall by the letter, over plain documents: slow, and written from the specification alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from projections.lexical.documents import Document

K1, B = 0.9, 0.3


@dataclass
class Reference:
    """Says what an index must answer."""

    documents: list[Document] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)

    def known_until(self, document):
        later = [
            other.from_position
            for other in self.documents
            if other.memory_id == document.memory_id and other.version > document.version
        ]
        return min(later, default=math.inf)

    def is_eligible(self, document, basis, filters):
        d, f = document, filters
        until = math.inf if d.valid_until_us is None else d.valid_until_us
        expires = math.inf if d.expires_at_us is None else d.expires_at_us
        return (
            d.memory_id not in self.forgotten
            and d.from_position <= basis.position < self.known_until(d)
            and d.active
            and expires > basis.as_of_us
            and d.valid_from_us <= basis.as_of_us < until
            and d.private_owner in {None, basis.actor}
            and f.session_id in {None, d.home_session}
            and (not f.kinds or d.kind in f.kinds)
            and (not f.tags or bool(d.tags & f.tags))
            and (not f.epistemic_status or d.epistemic_status in f.epistemic_status)
            and (
                f.min_confidence is None
                or (d.confidence is not None and d.confidence >= f.min_confidence)
            )
            and f.slot in {None, d.slot}
            and f.repo in {None, d.repo}
        )

    def eligible(self, basis, filters):
        return [d for d in self.documents if self.is_eligible(d, basis, filters)]

    def search(self, terms, basis, filters, limit=None):
        """BM25: the sum over terms of weight · idf · (k1+1) · tf / (tf + norm)."""
        texts = self.eligible(basis, filters)
        weights = {}
        for text, weight in terms:
            weights[text] = max(weight, weights.get(text, 0))
        hits = []
        mean = sum(sum(d.terms.values()) for d in texts) / len(texts) if texts else 0
        for d in texts:
            score = 0.0
            for text in sorted(weights):
                if text not in d.terms:
                    continue
                having = sum(text in other.terms for other in texts)
                idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
                norm = K1 * (1 - B + B * sum(d.terms.values()) / mean)
                often = d.terms[text]
                score += weights[text] * idf * (K1 + 1) * often / (often + norm)
            if score > 0:
                hits.append((d.memory_id, d.version, score))
        return sorted(hits, key=lambda hit: (-hit[2], hit[0], hit[1]))[:limit]
