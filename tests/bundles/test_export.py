"""The tree of Markdown files: names stay within it, bytes depend on the concepts alone."""

from __future__ import annotations

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.jobs import Group, RecordJob
from domain.context import CONTRACT_PERMISSIONS, Context
from domain.decisions import Fact
from domain.errors import MemorandaError
from ops.bundle_tree import paths_of, write_tree
from ops.wiring import open_memoranda
from read_api.bundle_markdown import concept_markdown
from tests import builders
from tests.bundles.test_markdown import NASTY, a_claim, a_concept
from tests.circumstances import MEMORY, an_id
from tests.cli_operations.running import run

PATH = "users/ann/repos/github.com/acme/app/convention/chart-room.md"


def concept(number, path=PATH, **changes):
    return a_concept(id=f"con_{number:026}", concept_path=path, **changes)


def written(out):
    return {
        str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()
    }


def test_each_concept_is_a_file_at_its_path(tmp_path):
    one, other = concept(1), concept(2, "users/ann/repos/no-repo/pitfall/fog.md")

    write_tree(tmp_path / "out", [one, other], into=False)

    assert written(tmp_path / "out") == {
        PATH: concept_markdown(one).encode(),
        "users/ann/repos/no-repo/pitfall/fog.md": concept_markdown(other).encode(),
    }
    file = tmp_path / "out" / PATH
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_concepts_of_one_path_have_the_end_of_their_ids_in_it(tmp_path):
    same = [concept(111111), concept(222222), concept(3, PATH.replace("chart", "Chart"))]

    write_tree(tmp_path, same, into=False)

    stem = PATH.removesuffix(".md")
    assert {name.casefold() for name in written(tmp_path)} == {
        f"{stem}-111111.md",
        f"{stem}-222222.md",
        f"{stem}-000003.md",
    }


def test_a_concept_whose_words_are_gone_has_a_file_by_its_id(tmp_path):
    gone = concept(7, None, title=None, concept_type=None, source_id=None)

    write_tree(tmp_path, [gone], into=False)

    assert list(written(tmp_path)) == [f"erased/con_{7:026}.md"]


def test_a_directory_that_is_not_empty_is_refused_unless_asked_for(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")

    with pytest.raises(MemorandaError, match=r"no empty directory.*--into"):
        write_tree(tmp_path, [concept(1)], into=False)
    with pytest.raises(MemorandaError, match="no empty directory"):
        write_tree(tmp_path / "mine.txt", [concept(1)], into=False)
    assert list(written(tmp_path)) == ["mine.txt"]

    for _ in range(2):
        write_tree(tmp_path, [concept(1)], into=True)
    assert sorted(written(tmp_path)) == ["mine.txt", PATH]


def test_a_link_is_not_followed_out_of_the_directory(tmp_path):
    outside, out = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    out.mkdir()
    (out / "users").symlink_to(outside)

    with pytest.raises(MemorandaError, match="is a link"):
        write_tree(out, [concept(1)], into=True)

    assert written(outside) == {}


PATHS = st.one_of(
    NASTY,
    st.lists(
        st.sampled_from(["..", ".", "", "a", "A", "b.md", "/", "~", "c:", "\\", "x" * 300, "船"]),
        min_size=1,
        max_size=8,
    ).map("/".join),
)


@given(st.lists(PATHS, min_size=1, max_size=6))
def test_no_path_leaves_the_directory_and_no_two_are_one(said):
    concepts = {one["id"]: one for one in (concept(n, path) for n, path in enumerate(said))}

    paths = paths_of(concepts)

    assert len({str(path).casefold() for path in paths.values()}) == len(said)
    for path in paths.values():
        assert not path.is_absolute()
        assert path.suffix == ".md"
        assert not {"..", ".", ""} & set(path.parts)
        assert all(len(part.encode()) < 255 for part in path.parts)
    assert paths == paths_of(dict(reversed(concepts.items())))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with two concepts of one path, one of them with a claim."""
    data = tmp_path_factory.mktemp("bundle") / "data"
    names = {"workspace": "default", "actor": "ana", "session": "s1"}
    context = Context(**names, permissions=CONTRACT_PERMISSIONS, request_id="told")
    first, second, claim = an_id("con_", 21), an_id("con_", 22), an_id("clm_", 23)
    window = an_id("win_", 24)
    targets = [(MEMORY, 1), (first, 1), (window, 1)]
    store = open_memoranda(data)
    for fact in (
        Fact(first, builders.concept_opened()),
        Fact(second, builders.concept_opened()),
        Fact(window, builders.window_recorded(mode="failed")),
        Fact(claim, builders.takeaway_added(targets=targets)),
        Fact(claim, builders.takeaway_moved(targets=targets)),
    ):
        [done] = store.settings._engine.submit(Group([RecordJob(context, [fact])]))
        assert done.position
    store.close()
    return data, first, claim, window


def test_the_command_writes_what_the_owner_reads_and_tells_the_count(folder, tmp_path):
    data, *_ = folder
    named = ("--data", data, "--actor", "ana")

    done = run("bundle", "export", tmp_path / "tree", *named, "--json")
    again = run("bundle", "export", tmp_path / "again", *named)

    assert json.loads(done.out) == {
        "export": str(tmp_path / "tree"), "concepts": 2, "claims": 1,
    }  # fmt: skip
    assert again.out == f"2 concepts with 1 claims are in {tmp_path / 'again'}\n"
    assert written(tmp_path / "tree") == written(tmp_path / "again")
    assert len(written(tmp_path / "tree")) == 2
    refused = run("bundle", "export", tmp_path / "tree", *named)
    assert (refused.code, "--into" in refused.err) == (2, True)


def test_the_commands_tell_people_what_the_routes_answer(folder):
    data, first, claim, window = folder
    named = ("--data", data, "--actor", "ana")

    told = [
        run("bundle", *said, *named)
        for said in (
            ("concepts", "--repo", ""),
            ("concept", first),
            ("concept", first, "--markdown"),
            ("claim", claim),
            ("window", window),
            ("completeness", "--session-id", "s-1"),
        )
    ]

    assert [one.code for one in told] == [0] * 6, [one.err for one in told]
    listed, shown, text, one, sent, counts = (done.out for done in told)
    assert "2 concepts" in listed
    assert "they said that the sky is blue" in shown
    assert f"<!-- claim: {claim} -->" in text
    assert "before" in one
    assert "E1  so it is" in one
    assert "failed" in sent
    assert "1 window  of session s-1" in counts


def test_another_actor_exports_nothing(folder, tmp_path):
    data, *_ = folder

    done = run("bundle", "export", tmp_path / "tree", "--data", data, "--actor", "bob", "--json")

    assert json.loads(done.out)["concepts"] == 0
    assert written(tmp_path / "tree") == {}
    assert a_claim()["id"] not in done.out
