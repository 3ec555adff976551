"""Pages show what happens, and the checks of the built site find what is wrong."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import zlib
from importlib import import_module
from pathlib import Path

import pytest
from check_site import INTERNAL, broken_links, inventory, undocumented
from check_wheel import packages
from click.testing import CliRunner
from consoles import agree, commands, printed, refresh, run_in_shell, steps, with_outputs
from helpers.paths import ROOT
from package_readme import README, TARGET, without_relative_links

from samapprox.cli.main import cli

DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
RUN = [
    DOCS / "index.md",
    *(path for path in TUTORIALS if path.stem not in ("index", "heads")),
    pytest.param(DOCS / "tutorials" / "heads.md", marks=pytest.mark.slow),
    *(DOCS / "howto" / f"{name}.md" for name in ("check-certificate", "embedding-dimension")),
    *(
        DOCS / "howto" / f"{name}.md"
        for name in ("guard-instances", "other-checkers", "other-solvers")
    ),
    *(DOCS / "howto" / f"{name}.md" for name in ("rank", "similarity")),
    *(
        pytest.param(DOCS / "howto" / f"{name}.md", marks=pytest.mark.slow)
        for name in ("embeddings", "fit", "head-size")
    ),
    *(DOCS / "theory" / f"{name}.md" for name in ("approximate", "graphs")),
    *(DOCS / "theory" / f"{name}.md" for name in ("reasoning", "turing", "universality")),
    DOCS / "studies" / "layers.md",
]
"""Pages whose commands are run."""

WITH_EXAMPLES = [
    path
    for path in sorted(DOCS.glob("*/*.md"))
    if re.search("^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.usefixtures("_in_process")
@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_pages_show_what_commands_print(path: Path) -> None:
    """`python .ci/consoles.py PAGE` writes the present outputs."""
    assert commands(path.read_text(encoding="utf-8"))
    before, after = refresh(path, run_here)
    assert agree(before, after), after


def run_here(command: str, folder: Path) -> list[str]:
    """Run a command in this process, unless it needs a shell: most take moments once imported."""
    ours, pipe, others = command.partition(" | ")
    name, *arguments = shlex.split(ours)
    if name != "samapprox" or needs_shell(ours):
        return run_in_shell(command, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("NO_COLOR", "1")
        ended = CliRunner().invoke(cli, arguments)
    lines = printed(command, ended.exit_code, ended.stdout, ended.stderr)
    return run_in_shell(others, folder, ended.stdout) if pipe else lines


def needs_shell(command: str) -> bool:
    """Whether a character outside quotes means something to a shell."""
    return re.search(r"[^\w\s./:=,+-]", re.sub("'[^']*'", "", command)) is not None


@pytest.mark.parametrize("command", ["a | b", "a > b", "a; b", 'a "$b"', "a *", "a $(b)", "~/a"])
def test_shells_run_what_only_shells_understand(command: str) -> None:
    assert needs_shell(f"samapprox {command}")
    assert not needs_shell(f"samapprox '{command}' data/a.npz -d 2 --graph window:w=3,causal=1")


def test_the_same_command_shows_the_same_output_on_all_pages() -> None:
    """Also on slow pages. Commands that read JSON files depend on the commands before them."""
    shown: dict[str, set[str]] = {}
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]:
        for command, output in steps(page.read_text(encoding="utf-8")):
            if command.startswith("samapprox ") and ".json" not in command:
                shown.setdefault(command, set()).add(output)
    assert len(shown) > 50
    assert [command for command, outputs in shown.items() if len(outputs) > 1] == []


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.stem)
def test_python_examples_of_pages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = path.read_text(encoding="utf-8")
    indented = re.sub(r"^ *```$", "", text, flags=re.MULTILINE)  # the end of a block ends an output
    examples = doctest.DocTestParser().get_doctest(indented, {}, path.stem, str(path), 0)
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0
    assert result.attempted


def test_outputs_are_written_below_their_commands(tmp_path: Path) -> None:
    page = "1.\n   ```console\n   $ echo one; echo two\n   old\n   ```\n\n```sh\n$ false\n```\n"
    written = page.replace("   old\n", "   one\n   two\n")
    assert with_outputs(page, tmp_path) == written
    assert with_outputs(written, tmp_path) == written
    assert not agree(page, written)


def test_margins_may_differ_between_machines() -> None:
    line = "Ones and zeros are separated by at least {} % of each row's logit range"
    line += "; logits lie in 0..5, coordinates have 3 bits."
    assert agree(f"YES\n{line.format(20)}\n", f"YES\n{line.format(25)}\n")
    assert not agree(f"YES\n{line.format(20)}\n", f"NO\n{line.format(20)}\n")


def test_a_command_that_fails_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="exit status 2"):
        with_outputs("```console\n$ exit 2\n```\n", tmp_path)
    with pytest.raises(SystemExit, match="exit status 1"):
        with_outputs("```console\n$ false\n```\n", tmp_path)


def make_site(folder: Path, **pages: str) -> Path:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def test_sound_links(tmp_path: Path) -> None:
    site = make_site(
        tmp_path,
        index='<h1 id="top"></h1><a href="#top"></a><a href="other.html#place"></a>',
        other='<p id="place"></p><a href="https://numpy.org"></a><a href="mailto:a@b.c"></a>',
    )
    assert broken_links(site) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="gone.html">', "index.html: gone.html: no such file"),
        ('<a href="#gone">', "index.html: #gone: no such place on the page"),
        ('<a href="other.html#gone">', "index.html: other.html#gone: no such place on the page"),
        ('<img src="gone.png">', "index.html: gone.png: no such file"),
        ('<script src="https://cdn.x/y.js">', "index.html: loads https://cdn.x/y.js"),
        ('<link rel="stylesheet" href="//cdn.x/y.css">', "index.html: loads //cdn.x/y.css"),
    ],
)
def test_broken_links(tmp_path: Path, text: str, fault: str) -> None:
    assert broken_links(make_site(tmp_path, index=text, other="")) == [fault]


def test_undocumented_names(tmp_path: Path) -> None:
    entries = b"samapprox.data.files py:function 1 api.html -\nfiles std:label 1 api.html -\n"
    head = b"# Sphinx inventory version 2\n# Project: p\n# Version: 1\n# zlib\n"
    (tmp_path / "objects.inv").write_bytes(head + zlib.compress(entries))
    assert inventory(tmp_path) == {"samapprox.data.files"}
    assert undocumented(inventory(tmp_path), ["samapprox.data"]) == [
        "samapprox.data.manifest: not in the Python interface",
        "samapprox.data.path: not in the Python interface",
    ]


def test_every_page_of_a_folder_is_in_a_table_of_contents() -> None:
    for index in DOCS.glob("*/index.md"):
        listed = index.read_text(encoding="utf-8")
        for page in index.parent.glob("*.md"):
            entry = rf"^(\*|{page.stem}|.* <{page.stem}>)$"
            assert page == index or re.search(entry, listed, re.MULTILINE), page
            if index.parent.name in ("howto", "theory"):
                assert page == index or f"]({page.name})" in listed, page


def test_the_readme_for_a_package_index() -> None:
    """`python .ci/package_readme.py` writes it."""
    text = TARGET.read_text(encoding="utf-8")
    assert text == without_relative_links(README.read_text(encoding="utf-8"))
    outside_code = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)]*)\)|(?:src|href)=\"([^\"]*)\"", outside_code)
    assert all(re.match("[a-z]+:", one or other) for one, other in targets)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](pages/a.md) [b](https://b.org)\n", "a [b](https://b.org)\n"),
        ("[`code`](pages/a.md#part)\n", "`code`\n"),
        ("a [two\nlines](a.md) b\n", "a two\nlines b\n"),
        ("see [a][one] and [two]\n\n[one]: a.md\n[two]: http://b.c\n",
         "see a and [two]\n\n[two]: http://b.c\n"),
        ("x\n\n![a](a.png)\n\ny\n", "x\n\ny\n"),
        ("![a](https://b.org/a.png)\n", "![a](https://b.org/a.png)\n"),
        ("[![a](a.png)](pages/a.md)\n", "\n"),
        ('<a href="a.md">a</a> <img src="a.png" alt="x">\n', "a \n"),
        ('<img src="https://b.org/a.png">\n', '<img src="https://b.org/a.png">\n'),
        ("| A | B |\n|---|---|\n| ![a](a.png) | ![b](b.png) |\n", ""),
        ("```\n[a](a.md)\n```\n`[b](b.md)`\n", "```\n[a](a.md)\n```\n`[b](b.md)`\n"),
    ],
)  # fmt: skip
def test_relative_links_become_text(text: str, expected: str) -> None:
    assert without_relative_links(text) == expected


def test_the_workflow_that_publishes() -> None:
    yaml = pytest.importorskip("yaml", reason="comes with samapprox[distributed]")
    text = (ROOT / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8")
    assert "http" not in text  # no address is known
    jobs = yaml.safe_load(text)["jobs"]
    build = [step.get("run", "") for step in jobs["build"]["steps"]]
    assert "sphinx-build -W --keep-going docs site" in build
    assert "python .ci/check_site.py site" in build
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["if"] == "github.ref == 'refs/heads/main'"
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    uses = [step.get("uses", "") for job in jobs.values() for step in job["steps"]]
    assert {use.partition("@")[0] for use in uses if "pages" in use} == {
        "actions/configure-pages",
        "actions/upload-pages-artifact",
        "actions/deploy-pages",
    }


@pytest.fixture
def extensions(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="comes with samapprox[docs]")
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))


@pytest.mark.parametrize("name", ["docstrings_of_data", "links_to_sources", "plain_docstrings"])
def test_examples_of_the_extensions(extensions: None, name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.failed == 0
    assert result.attempted


def test_titles_of_packages_are_their_names(extensions: None) -> None:
    names = import_module("public_names")
    page = names._page("samapprox.schemas", names._find_homes())
    assert page.splitlines()[0] == "samapprox.schemas"
    assert "\nJSON Schemas of all documents.\n" in page
    assert "jSON" not in page
    assert "   ~samapprox.schemas.load\n" in page  # the table shows the last part alone


def test_every_public_name_of_the_root_serves_a_task(extensions: None) -> None:
    import samapprox

    tasks = import_module("public_names").TASKS
    names = [name for group in tasks.values() for name in group.split()]
    assert sorted(names) == sorted(samapprox.__all__)
    assert names[0] == "decide"


def test_inner_loops_are_not_public(extensions: None) -> None:
    names = import_module("public_names")
    (package,) = names.public_modules("samapprox.attention.vectors")
    homes = {name: getattr(package, name).__module__ for name in package.__all__}
    assert homes["furthest"] == "samapprox.attention.vectors.furthest_vectors"
    assert not [home for home in homes.values() if home.endswith(("_kernel", "_numpy", "kernels"))]


@pytest.mark.parametrize(
    "path", ["docs/ci/nightly.yml", ".github/workflows/docs.yml", ".github/workflows/tests.yml"]
)
def test_workflows_may_only_read(path: str) -> None:
    yaml = pytest.importorskip("yaml", reason="comes with samapprox[distributed]")
    text = (ROOT / path).read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    uses = [step.get("uses", "@v1") for job in workflow["jobs"].values() for step in job["steps"]]
    assert all(re.fullmatch(r"[\w/.-]*@v\d+", use) for use in uses)


def test_every_package_with_public_names_has_a_page() -> None:
    """Without a page, its names would be missing from the Python interface."""
    script = ast.parse((DOCS / "_extensions" / "public_names.py").read_text(encoding="utf-8"))
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in script.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if isinstance(node.value, ast.Dict)
    }
    listed = tables["PACKAGES"]
    names = {f"{package}.{name}" for package in listed for name in public(package)}
    others = set(packages()) - set(listed) - INTERNAL
    assert undocumented(names, sorted(others)) == []


def public(module: str) -> list[str]:
    return list(getattr(import_module(module), "__all__", ()))
