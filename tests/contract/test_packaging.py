"""The image and the compose file: what they copy, pin and start, and the image's own build steps in a clean folder."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from socket import create_server
from typing import Any

import pytest
import yaml

from app.db import migrate
from tests.postgres import Database, run

ROOT = Path(__file__).parents[2]
START = ["helixir", "serve"]
MIGRATE = ["helixir", "migrate"]


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions in their order, each with its arguments on one line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def copied() -> list[tuple[list[str], str]]:
    """Return sources and target of each COPY from the checkout."""
    words = [arguments.split() for name, arguments in instructions() if name == "COPY" and not arguments.startswith("--from")]
    return [(line[:-1], line[-1]) for line in words]


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return document


def test_all_that_the_image_copies_exists_and_is_sent_to_the_build() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    for sources, _ in copied():
        for source in sources:
            assert (ROOT / source).exists(), source
            last = [rule for rule in rules if fnmatch.fnmatch(source.removeprefix("./"), rule.removeprefix("!"))][-1]
            assert last.startswith("!"), f"{source} is ignored by {last}"


def test_images_are_pinned() -> None:
    images = [arguments.split()[0] for name, arguments in instructions() if name == "FROM"]
    images += [service["image"] for service in compose()["services"].values()]
    for image in images:
        assert re.fullmatch(r"[a-z/]+:[a-z0-9.-]+", image), image
        assert not image.endswith(":latest")


def test_the_image_runs_as_nobody_in_particular() -> None:
    [user] = [arguments for name, arguments in instructions() if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_image_and_compose_start_the_same() -> None:
    [command] = [json.loads(arguments) for name, arguments in instructions() if name == "CMD"]
    services = compose()["services"]
    assert command == services["helixir"]["command"] == START
    assert services["migrate"]["command"] == MIGRATE


def test_the_service_waits_for_the_schema_and_the_schema_for_the_database() -> None:
    services = compose()["services"]
    assert services["helixir"]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert services["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    assert services["db"]["healthcheck"]["test"]
    assert services["helixir"]["read_only"] is True


def test_postgres_keeps_its_data_where_its_image_says() -> None:
    database = compose()["services"]["db"]
    assert database["image"].startswith("pgvector/pgvector:0.8.")
    [volume] = database["volumes"]
    assert volume.endswith(":/var/lib/postgresql")
    assert database["shm_size"] == "512mb"


def test_no_password_is_written_down_and_each_that_is_missing_is_named() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for secret in re.findall(r"(?:PASSWORD: |://helixir_\w+:)(\S*)", text):
        assert re.match(r"\$\{HELIXIR_(OWNER|APP)_PASSWORD:\?", secret), secret
    names = set(re.findall(r"\$\{(\w+)", text))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert names <= set(re.findall(r"^#?(\w+)=", example, flags=re.MULTILINE))


def test_the_service_never_gets_the_owners_password() -> None:
    environment = compose()["services"]["helixir"]["environment"]
    assert "HELIXIR_MIGRATION_DATABASE_URL" not in environment
    assert "OWNER" not in json.dumps(environment)


def test_each_locked_package_has_a_hash_and_no_registry_is_named() -> None:
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text(encoding="utf-8")
        packages = re.split(r"\n(?=\S)", text.strip())
        assert all("--hash=sha256:" in package for package in packages)
        assert "://" not in text


def test_what_runs_is_part_of_what_is_tested() -> None:
    runtime, development = (
        set(re.findall(r"^(\S+==\S+)", (ROOT / name).read_text(encoding="utf-8"), flags=re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    assert runtime <= development


def test_ci_runs_the_test_command() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("exec make test")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the build steps of the image in an empty folder, with nothing but what the Dockerfile copies."""
    root = tmp_path_factory.mktemp("image")
    places = {"/opt/helixir": str(root / "opt"), "/build": str(root / "build"), "/srv/helixir": str(root / "srv")}
    place = root
    for name, arguments in instructions():
        if name == "WORKDIR":
            place = Path(places[arguments])
            place.mkdir()
        if name == "COPY" and not arguments.startswith("--from"):
            copy(arguments.split(), place)
        if name == "RUN":
            for path, real in places.items():
                arguments = arguments.replace(path, real)  # noqa: PLW2901 - the same step, at another place
            steps = arguments.removeprefix("python ")
            command = f"{sys.executable} {steps}" if steps != arguments else arguments
            build(command, place)
    return root


def build(command: str, place: Path) -> None:
    # A falsy value is how pip is told so: bytecode would double the time, and this image starts once.
    quick = {**os.environ, "PIP_NO_COMPILE": "0"}
    ended = subprocess.run(["/bin/sh", "-c", command], cwd=place, env=quick, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 0, ended.stdout + ended.stderr


def copy(words: list[str], place: Path) -> None:
    *sources, target = words
    for source in sources:
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place / target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(ROOT / source, place / target)


@pytest.fixture
def port() -> int:
    with closing(create_server(("127.0.0.1", 0))) as server:
        number: int = server.getsockname()[1]
    return number


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_image_migrates_and_serves(image: Path, empty_database: Database, port: int) -> None:
    [healthcheck] = [arguments for name, arguments in instructions() if name == "HEALTHCHECK"]
    variables = {
        "PATH": f"{image / 'opt' / 'bin'}:/usr/bin:/bin",
        "HELIXIR_HOME": str(image / "home"),
        "HELIXIR_PORT": str(port),
        "HELIXIR_DATABASE_URL": empty_database.service_dsn,
        "HELIXIR_MIGRATION_DATABASE_URL": empty_database.owner_dsn,
    }
    assert "Governed memory" in step(image, variables, ["helixir", "--help"]).stdout
    migrated = step(image, variables, MIGRATE)
    assert migrated.returncode == 0, migrated.stderr
    assert run(migrate.current_revision(empty_database.owner_dsn)) == migrate.head_revision()
    server = subprocess.Popen(resolved(image, START), cwd=image / "srv", env=variables)  # noqa: S603
    try:
        check = json.loads(healthcheck.partition("CMD")[2])
        end = time.monotonic() + 60
        while step(image, variables, check).returncode != 0:
            assert server.poll() is None
            assert time.monotonic() < end
            time.sleep(0.2)
    finally:
        server.terminate()
        server.wait(30)


def step(image: Path, variables: dict[str, str], command: list[str]) -> subprocess.CompletedProcess[str]:
    words = resolved(image, command)
    return subprocess.run(words, cwd=image / "srv", env=variables, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603


def resolved(image: Path, command: list[str]) -> list[str]:
    return [str(image / "opt" / "bin" / command[0]), *command[1:]]
