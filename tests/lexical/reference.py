"""Recall by the letter, over plain documents: slow, and written from the specification alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from projections.lexical.documents import Document
from projections.lexical.parameters import NEIGHBOURS

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
        """BM25: the sum over terms of weight · idf · (k1+1) · tf / (tf + norm), and context.

        A memory that matches takes for each term that it lacks the best share of what the term
        counts in its neighbours: two before it and two after it in its session.
        """
        texts = self.eligible(basis, filters)
        counts = self.counts(terms, texts)
        hits = []
        for d in texts:
            if any(of_term[d.memory_id] for of_term in counts):
                near = self.neighbours(d, texts)
                score = 0.0
                for of_term in counts:
                    lent = max([of_term[n.memory_id] * share for n, share in near], default=0.0)
                    score += of_term[d.memory_id] or lent
                hits.append((d.memory_id, d.version, score))
        return sorted(hits, key=lambda hit: (-hit[2], hit[0], hit[1]))[:limit]

    @staticmethod
    def counts(terms, texts):
        """What each term, in code-point order, counts in each of some texts."""
        weights = {}
        for text, weight in terms:
            weights[text] = max(weight, weights.get(text, 0))
        mean = sum(sum(d.terms.values()) for d in texts) / len(texts) if texts else 0
        counts = []
        for text in sorted(weights):
            having = sum(text in other.terms for other in texts)
            idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            of_term = {}
            for d in texts:
                often = d.terms.get(text, 0)
                norm = K1 * (1 - B + B * sum(d.terms.values()) / mean) if often else 1
                of_term[d.memory_id] = weights[text] * idf * (K1 + 1) * often / (often + norm)
            counts.append(of_term)
        return counts

    @staticmethod
    def neighbours(document, texts):
        """Who stands beside a text in its session, and what share of a word they lend."""
        session = [d for d in texts if d.home_session == document.home_session]
        session.sort(key=lambda d: d.from_position)
        at = session.index(document)
        return [
            (session[at + distance], share)
            for distance, share in NEIGHBOURS
            if 0 <= at + distance < len(session)
        ]
