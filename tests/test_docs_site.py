"""The pages: links, names, tables, pictures, command lines, and the bot of the tutorial.

The blocks with `>>>` are doctests; `.ci/docs` makes the site and follows the links in it.
"""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import loa
from loa import cli
from loa.rules import NoLegalMove, SimultaneousConnection

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "examples" / "README.md", *DOCS.rglob("*.md")])
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")


def text_of(path):
    return path.read_text(encoding="utf-8")


def prose_of(path):
    """A page without its blocks of code."""
    return BLOCK.sub("", text_of(path))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


# Wheels are tested without the sources beside the pages.
needs_sources = pytest.mark.skipif(
    not (ROOT / "src").is_dir() or not (ROOT / ".ci").is_dir(), reason="needs the whole clone"
)


@pytest.fixture(scope="module", name="figures")
def figures_fixture():
    specification = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


# Links ------------------------------------------------------------------------------------------


def anchors_of(path):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", prose_of(path), re.MULTILINE)
    plain = [re.sub(r"[^\w -]", "", heading).strip().lower() for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


@needs_sources
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        assert there.is_relative_to(ROOT), target
        assert not there.is_relative_to(ROOT / "build"), target
        if anchor:
            assert anchor in anchors_of(there), target


def test_home_links_all_pages_and_the_contents_have_them():
    home = text_of(DOCS / "index.md")
    pages = {path.name for path in DOCS.glob("*.md")} - {"index.md"} | {"reference/index.md"}
    assert set(re.findall(r"\]\(([^)]+\.md)\)", home)) == pages
    listed = re.findall(r"^([\w/]+)$", "".join(text for _, text in BLOCK.findall(home)), re.M)
    assert {f"{name}.md" for name in listed} == pages


def test_readme_links_all_pages():
    """But for the changes, which are a file beside it."""
    pages = {f"docs/{path.name}" for path in DOCS.glob("*.md")} - {"docs/changes.md"}
    assert pages <= set(re.findall(r"\]\(([^)]+\.md)\)", text_of(ROOT / "README.md")))


# Names ------------------------------------------------------------------------------------------


def resolve(name):
    """What a dotted name is; AttributeError for none."""
    value = loa
    path = ["loa"]
    for part in name.split(".")[1:]:
        path.append(part)
        if not hasattr(value, part) and importlib.util.find_spec(".".join(path)) is not None:
            if "integrations" in path:
                return None  # Needs an extra.
            value = importlib.import_module(".".join(path))
        else:
            value = getattr(value, part)
    return value


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_exist(page):
    for code in CODE.findall(prose_of(page)):
        for name in re.findall(r"(?<![\w.\[/'-])loa(?:\.[A-Za-z]\w*)+", code):
            resolve(name)


def test_names_of_boards_in_the_migration_table_exist():
    rows = [line.split("|") for line in text_of(DOCS / "migration.md").splitlines()]
    names = {
        name
        for row in rows
        if len(row) > 3
        for code in CODE.findall(row[2])
        for name in re.findall(r"\bboard\.(\w+)", code)
    }
    assert len(names) > 20
    assert [name for name in sorted(names) if not hasattr(loa.Board, name)] == []


def test_reference_has_all_public_names():
    text = "".join(map(text_of, sorted((DOCS / "reference").glob("*.md"))))
    listed = set(re.findall(r"^\.\. (?:auto\w+|py:data):: (?:loa\.)?(\w+)", text, re.MULTILINE))
    # Of packages there is a page for each module.
    for path in re.findall(r"^\.\. automodule:: (loa\.[\w.]+)", text, re.MULTILINE):
        listed |= {path.split(".")[1], *getattr(resolve(path), "__all__", ())}
    assert set(loa.__all__) - listed == {"__version__"}


def defines(source, name):
    """Whether a file defines the last part of a dotted name: more than that it uses it."""
    name = re.escape(name.rpartition(".")[2])
    pattern = rf"^ *(?:class|def|cdef|cpdef) (?:.*\W)?{name}(?:\(|:|$)|^{name}(?::.*)? = "
    return re.search(pattern, text_of(source), re.MULTILINE) is not None


@needs_sources
def test_where_data_flows_is_where_it_is_said_to_flow():
    """Each step of `docs/architecture.md` names files that define the functions it names."""
    text = text_of(DOCS / "architecture.md")
    places = {
        Path(target).name: DOCS / target for target in re.findall(r"\]\((\.\./[^)]+)\)", text)
    }
    rows = re.findall(r"^\| \d \| (.*?) \| .* \|$", text, re.MULTILINE)
    assert len(rows) > 20
    for row in rows:
        words = CODE.findall(row)
        files = [places[Path(word).name] for word in words if Path(word).name in places]
        assert files, row
        for word in words:
            if Path(word).name in places:
                continue
            # Of a folder, a row names the modules.
            assert any(
                (file / f"{word}.py").is_file() if file.is_dir() else defines(file, word)
                for file in files
            ), word
    # The same in running text: "`name` in `file`".
    for name, file in re.findall(r"`([A-Za-z_][\w.]*)` in `([\w./]+)`", text):
        assert defines(places[Path(file).name], name), f"{name} in {file}"


@needs_sources
def test_names_are_defined_in_the_files_that_they_are_said_to_be_in():
    """Wherever a page says "`name` in [`file`](link)"."""
    pairs = [
        (page, name, target)
        for page in PAGES
        for name, target in re.findall(
            r"`([A-Za-z_][\w.]*)` in\s+\[`[^`]+`\]\(([^)#]+\.\w+)\)", text_of(page)
        )
    ]
    assert len(pairs) >= 10
    for page, name, target in pairs:
        assert defines(page.parent / target, name), f"{name_of(page)}: {name} in {target}"


# Tables and pictures ----------------------------------------------------------------------------


def test_table_of_presets():
    ends = {
        SimultaneousConnection.DRAW: "draw",
        SimultaneousConnection.MOVER_WINS: "mover wins",
        NoLegalMove.PASS: "pass",
        NoLegalMove.LOSS: "loss",
        NoLegalMove.DRAW: "draw",
    }
    expected = []
    for name, rules in loa.Rules.presets().items():
        repetition = "none"
        if rules.repetition_draw is not None:
            repetition = f"drawn at {rules.repetition_draw}"
            repetition += "" if rules.repetition_side_to_move else ", whoever is to move"
        if rules.repetition_claim is not None:
            repetition += f", claimed from {rules.repetition_claim}"
        both, stuck = ends[rules.simultaneous_connection], ends[rules.no_legal_move]
        limit = "none" if rules.ply_limit is None else rules.ply_limit
        expected.append(f"| `{name}` | {both} | {stuck} | {repetition} | {limit} |")
    rows = re.findall(r"^\| `[A-Z_0-9]+` \|.*$", text_of(DOCS / "rules.md"), re.MULTILINE)
    assert rows == expected
    first = [name for name, rules in loa.Rules.presets().items() if rules.draws_precede_connection]
    assert first == ["OPENSPIEL"]


def test_pictures_are_what_the_code_draws(figures):
    drawn = figures.pictures()
    for name, picture in drawn.items():
        assert text_of(DOCS / "images" / name) == picture, f"{name}: run python docs/figures.py"
    files = {path.name for path in (DOCS / "images").glob("*.svg")}
    assert {name for name in files if name.startswith(("rules-", "engine-"))} == set(drawn)


@pytest.mark.parametrize(
    "fen",
    [
        "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b 1",
        "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b 1",
        "1bb1bbb1/w6w/w1b4w/8/w1w4w/w6w/w6w/1bbbbbb1 w 1",
    ],
)
def test_terms_of_the_sum_are_two_plies(figures, fen):
    board = loa.Board(fen)
    terms = figures.perft_sum(board)
    corrections = terms["own lines"] + terms["departures"] + terms["arrivals"]
    assert terms["moves"] * terms["replies"] + corrections == loa.perft(board, 2)
    assert terms["moves"] == loa.perft(board, 1)


def test_flood_fill_reaches_groups(figures):
    board = loa.Board("8/1b4b1/1w3b2/4b1w1/4b3/2wb1b2/2b5/3w3w w 1")
    for group in board.groups(loa.BLACK):
        seed = (group & -group).bit_length() - 1
        steps = figures._fill_steps(board, seed)
        assert sum(1 << square for square in steps) == group
        assert set(steps.values()) == set(range(max(steps.values()) + 1))


# Command lines ----------------------------------------------------------------------------------

COMMAND = re.compile(
    r"(?:^|(?<=`)|(?<=\$ )|(?<=    )|(?<=/))(loa (?:perft|show|replay|convert|stats)\b[^`\n#]*)",
    re.MULTILINE,
)
NUMBERS = {"--hash-mb": 1, "--threads": 2, "--workers": 1, "--plies": 1}
DEPTH = 2


def command_lines():
    """All lines that call `loa`, with small arguments in the place of great ones.

    Those of the tutorial need what it makes, and have a test of their own.
    """
    lines = {}
    for page in PAGES:
        if page.name == "tutorial.md":
            continue
        for line in COMMAND.findall(text_of(page)):
            words = shlex.split(line)
            for index in range(2, len(words)):
                if words[index - 1] in NUMBERS:
                    words[index] = str(NUMBERS[words[index - 1]])
                elif words[1] == "perft" and (words[index] == "DEPTH" or words[index].isdigit()):
                    words[index] = str(DEPTH) if index == 2 else words[index]
                elif words[index - 1] == "--checkpoint":
                    words[index] = "checkpoint.json"
            if "--suite" in words:
                words.insert(2, str(DEPTH))
            lines.setdefault(shlex.join(words), name_of(page))
    return lines


LINES = command_lines()


def test_command_lines_are_found():
    assert {line.split()[1] for line in LINES} == {"perft", "show", "replay", "convert", "stats"}
    assert {"README.md", "docs/perft.md", "docs/formats.md"} <= set(LINES.values())


@pytest.mark.parametrize("line", LINES)
def test_command_lines_run(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "tests" / "data"
    shutil.copytree(ROOT / "tests" / "data", data)
    games = loa.read_games(data / "games.txt")
    for name in ("games.txt", "games.pgn", "games.sgf"):
        loa.write_games(games, name)
    words = shlex.split(line)[1:]
    if "--plot" in words and importlib.util.find_spec("matplotlib") is None:
        pytest.skip("draws with matplotlib")
    if words == ["convert"] or words == ["perft"]:
        words.append("--help")
    elif words[-1] == "--suite":
        words.append("tests/data/perft.txt")
    elif words in (["stats"], ["replay"], ["replay", "--show"]):
        words.append("games.txt")
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert shown.out or len(list(tmp_path.iterdir())) > 4


# The tutorial -----------------------------------------------------------------------------------


@pytest.fixture(scope="module", name="examples")
def examples_fixture(tmp_path_factory):
    """The folder of examples, with the bot of the tutorial beside it."""
    text = text_of(DOCS / "tutorial.md")
    blocks = [code for name, code in BLOCK.findall(text) if name == "python" and ">>>" not in code]
    (bot,) = blocks
    folder = tmp_path_factory.mktemp("clone") / "examples"
    shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (name,) = re.findall(r"to a new file,\s`([^`]+)`", text)
    (folder.parent / name).write_text(bot, encoding="utf-8")
    return folder


def test_bot_of_the_tutorial_beats_the_random_bot(examples, monkeypatch):
    commands = re.findall(
        r"(python examples/match\.py [^`\n]+)", text_of(DOCS / "tutorial.md"), re.MULTILINE
    )
    assert len(commands) == 3
    scores = {}
    for command in commands:
        words = shlex.split(command)[1:]
        words[words.index("--games") + 1] = "4"
        finished = subprocess.run(
            [sys.executable, *words], cwd=examples.parent, capture_output=True, text=True
        )
        assert finished.returncode == 0, finished.stderr
        together = re.search(r"together +4 .* (\d\.\d+)$", finished.stdout, re.MULTILINE)
        scores[words[1], words[2]] = float(together[1])
    # The seed decides all games, so no luck is needed.
    assert scores["my_bot.py:MyBot", "random"] > 0.5
    # What the tutorial does with the games that were saved.
    shell = [code for name, code in BLOCK.findall(text_of(DOCS / "tutorial.md")) if name == "sh"]
    lines = [line for line in "".join(shell).splitlines() if line.startswith("loa ")]
    assert {line.split()[1] for line in lines} == {"show", "stats", "replay"}
    monkeypatch.chdir(examples.parent)
    for line in lines:
        assert cli.main(shlex.split(line)[1:]) == 0
    assert "game-3" in text_of(examples.parent / "game.html")


def test_blocks_of_python_are_run_somewhere():
    """Doctests here, the blocks of the other three pages in the tests of these pages."""
    for page in PAGES:
        for name, code in BLOCK.findall(text_of(page)):
            if name == "python" and ">>>" not in code:
                assert page.name in ("tutorial.md", "embedding.md", "integrations.md")
            if ">>>" in code:
                assert name == "python"
