"""What Prometheus scrapes: counts of closed sets, and nothing of what is stored or of whom."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.http.api import change, question


def scraped(client):
    """Sample name and labels → value."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_operations_are_counted_by_how_they_ended(client, api):
    # given
    before = scraped(client)
    # when one is done, one refused, one unknown, and a batch has one of each
    api.remember()
    api.send("update", change("mem_nobody", confidence=0.5))
    api.send("dream", {})
    after = scraped(client)
    # then
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    assert grown["memoranda_operations_total", "ok", "remember"] == 1
    assert grown["memoranda_operations_total", "NOT_FOUND", "update"] == 1
    assert grown["memoranda_operations_total", "INVALID_REQUEST", "unknown"] == 1
    assert grown["memoranda_operation_seconds_count", "remember"] == 1
    assert grown["memoranda_append_events_sum",] == 2
    assert grown["memoranda_position",] == 2


def test_gauges_tell_how_far_the_read_models_are(client, api, store):
    # given
    api.remember()
    head = store.log.head()
    store.runner.wait_for("w", head, 10)
    # when
    found = scraped(client)
    # then
    assert found["memoranda_position",] == head
    assert found["memoranda_projection_lag_events", "records"] == 0
    assert found["memoranda_queue_depth",] == 0


def test_nothing_stored_and_nobody_is_in_it(client, api):
    # given
    canary = "zyzzyva"
    api.remember(canary, tags=[canary], names={"workspace": "guild", "actor": "thorin"})
    api.do("recall", question(canary), None, workspace="guild", actor="thorin")
    # when
    text = client.get("/metrics").text
    # then
    assert not any(word in text for word in (canary, "mem_", "guild", "thorin"))
    assert 'memoranda_recalls_total{outcome="complete"} 1.0' in text
