"""What the documents say is what the repository holds: settings, commands, routes, links, dependencies, versions."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from pydantic import BaseModel, SecretStr

from app.charter.constitution_text import digest
from app.cli import cli
from app.services.govern import constitution
from app.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
RECORDS = sorted((ROOT / "docs" / "adr").glob("*.md"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


def settings_in(model: BaseModel, prefix: str = "HELIXIR_") -> Iterator[tuple[str, Any]]:
    """Each variable with its default, nested ones too."""
    for name, value in model:
        if isinstance(value, BaseModel):
            yield from settings_in(value, f"{prefix}{name.upper()}__")
        else:
            yield prefix + name.upper(), value


def defaults() -> dict[str, Any]:
    # Without the environment: what the code itself says.
    return dict(settings_in(Settings.model_construct()))


def section(text: str, heading: str) -> str:
    """The part under a heading of the second or third rank, up to the next of that rank."""
    marks, _, _ = heading.partition(" ")
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{2,{len(marks)}}} |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def fenced(text: str, language: str) -> str:
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL))


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def test_the_settings_table_is_what_the_code_says() -> None:
    rows = re.findall(r"^\| `(HELIXIR_\w+)` \| (none|`[^`]*`) \| (.+) \|$", section(README, "## Settings"), flags=re.MULTILINE)
    told = {name: None if default == "none" else default.strip("`") for name, default, _ in rows}
    assert told == {name: None if value is None else str(value) for name, value in defaults().items()}


def test_no_default_is_a_secret() -> None:
    assert not [name for name, value in defaults().items() if isinstance(value, SecretStr)]


def test_the_example_of_the_environment_names_every_setting_once() -> None:
    named = re.findall(r"^#?(HELIXIR_\w+)=", EXAMPLE, flags=re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(defaults()) <= set(named)


def test_the_compose_file_hands_on_every_setting_that_it_does_not_set() -> None:
    environment = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]["helixir"]["environment"]
    # The port is the image's, the home a folder of its own, and the owner's URL is kept away from the service.
    set_elsewhere = {"HELIXIR_PORT", "HELIXIR_HOME", "HELIXIR_MIGRATION_DATABASE_URL"}
    here = {"HELIXIR_HOST", "HELIXIR_DATABASE_URL"}
    assert {name for name in environment if name.startswith("HELIXIR_")} == set(defaults()) - set_elsewhere
    handed = {name: value for name, value in environment.items() if name not in here}
    assert handed == {name: f"${{{name}:-}}" for name in handed}


@pytest.mark.parametrize(
    "path", ["Makefile", "Dockerfile", "docker-compose.yml", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("app/*cli*.py"))]
)
def test_each_variable_that_is_named_elsewhere_is_a_setting_or_in_the_example(path: str) -> None:
    used = set(re.findall(r"HELIXIR_[A-Z][A-Z_]*[A-Z]", (ROOT / path).read_text(encoding="utf-8")))
    known = set(defaults()) | set(re.findall(r"^#?(HELIXIR_\w+)=", EXAMPLE, flags=re.MULTILINE))
    assert used <= known


@every_page
def test_each_make_command_is_a_target(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    text = page.read_text(encoding="utf-8")
    lines = [*fenced(text, "sh").splitlines(), *re.findall(r"`(make [^`\n]*)`", text)]
    for line in lines:
        if not line.startswith("make "):
            continue
        words = line.partition("#")[0].split()[1:]
        assert {word for word in words if "=" not in word} <= targets, line


@every_page
def test_each_command_of_ours_exists(page: Path) -> None:
    commands = typer.main.get_command(cli)
    names = set(getattr(commands, "commands", {}))
    text = page.read_text(encoding="utf-8")
    said = re.findall(r"(?:^|bin/|`)helixir ([a-z]+)", fenced(text, "sh"), flags=re.MULTILINE)
    said += re.findall(r"`(?:\.venv/bin/)?helixir ([a-z]+)", text)
    assert set(said) <= names


def test_the_two_commands_come_first() -> None:
    assert fenced(README, "sh").split("\n")[:2] == ["make run", "make test"]


def anchors(page: Path) -> set[str]:
    """What a heading can be linked by, as the usual renderers make it."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL), flags=re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert file.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(file), target


@every_page
def test_paths_in_the_text_exist(page: Path) -> None:
    named = re.findall(r"`((?:app|tests|docs|alembic|openapi)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    missing = [path for path in named if "NNNN" not in path and not (ROOT / path).exists()]
    assert not missing


def test_every_route_has_its_row_and_every_row_its_route() -> None:
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    routes = {f"{method.upper()} {path}" for path, operations in document["paths"].items() for method in operations}
    rows = re.findall(r"^\| `((?:GET|POST|PATCH) /\S*)` \|", section(README, "## HTTP"), flags=re.MULTILINE)
    assert len(rows) == len(set(rows))
    assert set(rows) == routes


def test_the_readme_approves_the_text_that_the_code_carries() -> None:
    assert f'"sha256": "{digest(constitution())}"' in fenced(README, "sh")


def test_each_dependency_has_its_reason() -> None:
    text = next(page for page in RECORDS if page.name.endswith("-dependencies.md")).read_text(encoding="utf-8")
    for heading, wanted in (
        ("### To run", project()["dependencies"]),
        ("### To build", project()["optional-dependencies"]["build"]),
        ("### To test and check", project()["optional-dependencies"]["dev"]),
    ):
        rows = re.findall(r"^\| `([\w-]+)` \| (\S.*) \| (\S.*) \|$", section(text, heading), flags=re.MULTILINE)
        assert sorted(name for name, _, _ in rows) == sorted(re.split(r"[\[<>=!~]", one, maxsplit=1)[0] for one in wanted), heading


def test_records_are_numbered_and_of_one_shape() -> None:
    numbers = [page.name[:4] for page in RECORDS]
    assert len(numbers) == len(set(numbers))
    for page in RECORDS:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {int(page.name[:4])}. "), page.name
        assert re.search(r"^Status: (?:accepted|replaced by \[)", text, flags=re.MULTILINE), page.name
        headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], page.name


def test_the_changes_tell_of_this_version() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert project()["version"] in headings


def test_the_licence_is_the_one_that_is_named() -> None:
    assert project()["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)  # noqa: S607 - whatever git is there
    if listed.returncode:  # not a clone: then what was packed
        return [
            path for path in ROOT.rglob("*") if path.is_file() and not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        ]
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


# In pieces, so that this file does not find itself. A home is one of a person; the image's own root is not meant.
MACHINE = re.compile(r"(?<![\w.])(?:/ho" + r"me/\w|/wo" + r"rk/\w|/Use" + r"rs/\w|/ro" + r"ot/(?!\.ollama))")
REGISTRIES = re.compile(
    "|".join(
        (r"\bpypi" + r"\.\w+\b", r"python" + r"hosted\.", r"\bregistry" + r"\.\w+\.\w+", r"\bproxy" + r"\.golang\.", r"\bindex-" + r"url\b")
    )
)


def test_no_tracked_text_names_a_machine_or_a_package_index() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for pattern in (MACHINE, REGISTRIES) for match in pattern.finditer(text)]
    assert not found
