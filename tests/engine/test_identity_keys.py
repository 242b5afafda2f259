"""An identity key belongs to those who may see what it names."""

from __future__ import annotations


def test_a_private_key_is_its_owners_alone(ana, bea):
    # Given the same key, used by two actors in private
    first = ana.remember(identity_key="K", visibility="private")
    other = bea.remember(identity_key="K", visibility="private")
    # When each uses it again
    again = ana.send("remember", identity_key="K", visibility="private")["record"]
    once_more = bea.send("remember", identity_key="K", visibility="private")["record"]
    # Then each has changed their own memory
    assert first != other
    assert (again["id"], again["version"]) == (first, 2)
    assert (once_more["id"], once_more["version"]) == (other, 2)


def test_the_key_of_a_private_edge_does_not_lead_others_to_it(ana, bea):
    # Given a private edge of ana's with a key
    ends = [ana.remember(visibility="private") for _ in range(2)]
    hidden = ana.send("relate", source_id=ends[0], target_id=ends[1], identity_key="E")
    # When bea relates two memories of the workspace under the same key
    known = [bea.remember() for _ in range(2)]
    made = bea.send("relate", source_id=known[0], target_id=known[1], identity_key="E")
    # Then it is another edge
    assert made["relationship"]["id"] != hidden["relationship"]["id"]
    assert made["relationship"]["source_id"] == known[0]
    assert made["relationship"]["version"] == 1


def test_the_key_of_a_hidden_memory_still_leads_to_it(ana):
    memory = ana.remember(identity_key="K")
    ana.send("forget", memory_id=memory, mode="expire", expires_at="2030-01-01T00:00:00Z")

    again = ana.send("remember", identity_key="K")["record"]

    assert (again["id"], again["version"], again["lifecycle"]) == (memory, 3, "active")
