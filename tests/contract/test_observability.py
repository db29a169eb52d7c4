"""Metrics, their table, the dashboard, the alerts and the compose profile: each name stands for something that is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client import Metric

from app.metrics import REGISTRY

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "observability"
DASHBOARD = json.loads((FOLDER / "grafana" / "helixir.json").read_text(encoding="utf-8"))
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
# Prometheus adds them itself to all that it scrapes.
GIVEN = {"job", "instance"}
# What prometheus-client tells of the process, on Linux.
PROCESS = ("process_cpu_seconds_total", "process_resident_memory_bytes")


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def families() -> list[Metric]:
    return list(REGISTRY.collect())


def labels_of(name: str) -> set[str]:
    """The labels of a family, also of one that has counted nothing yet."""
    collector = REGISTRY._names_to_collectors.get(name)  # noqa: SLF001 - nothing public tells the labels of an empty one
    return set(getattr(collector, "_labelnames", ()))


def series() -> dict[str, set[str]]:
    """Each series that can be scraped, with its labels."""
    found = {name: set(GIVEN) for name in ("up", *PROCESS)}
    for family in families():
        labels = labels_of(family.name) | GIVEN
        if family.type == "counter":
            found[f"{family.name}_total"] = labels
        elif family.type == "histogram":
            found |= {f"{family.name}_bucket": labels | {"le"}, f"{family.name}_sum": labels, f"{family.name}_count": labels}
        else:
            found[family.name] = labels
    return found


def shown_name(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries() -> Iterator[tuple[str, str]]:
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m")


def rules() -> list[dict[str, Any]]:
    return [rule for group in read("alerts.yml")["groups"] for rule in group["rules"]]


def walked(node: Any) -> Iterator[Any]:
    """All nodes of an expression."""
    yield node
    for name in ("args", "expr", "lhs", "rhs", "vector_selector"):
        below = getattr(node, name, None)
        for one in below if isinstance(below, list) else [below]:
            if one is not None:
                yield from walked(one)


def check(expression: str) -> set[str]:
    """Raise where a series, a label that is matched or one that is grouped by does not exist; the names of the series."""
    tree, known = list(walked(promql_parser.parse(expression))), series()
    selectors = [node for node in tree if isinstance(node, promql_parser.VectorSelector)]
    assert selectors, expression
    labels: set[str] = set()
    for selector in selectors:
        assert selector.name in known, f"{selector.name} in {expression}"
        labels |= known[selector.name]
        assert {matcher.name for matcher in selector.matchers.matchers} <= known[selector.name], expression
    for node in tree:
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
            assert set(node.modifier.labels) <= labels, expression
    return {str(selector.name) for selector in selectors}


@pytest.mark.parametrize(
    "expression",
    [
        "rate(helixir_no_such_total[5m])",
        "rate(helixir_requests[5m])",  # as the code names it, not as it is scraped
        "helixir_request_seconds",  # a histogram has no series of its own name
        'sum(helixir_waiting{which="disputes"})',
        "sum by (route) (rate(helixir_tiers_total[5m]))",
        "sum(rate(helixir_tiers_total[5m])",
    ],
)
def test_the_check_itself_finds_what_is_not_there(expression: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check(expression)


@pytest.mark.parametrize(("panel", "expression"), list(queries()))
def test_each_query_of_the_dashboard_asks_for_what_there_is(panel: str, expression: str) -> None:
    assert check(expression), panel


def test_all_metrics_of_ours_are_somewhere_on_the_dashboard() -> None:
    asked = {re.sub(r"_(bucket|sum|count)$", "", name) for _, expression in queries() for name in check(expression)}
    assert {shown_name(family) for family in families() if family.name.startswith("helixir_")} <= asked


def test_each_panel_has_a_place_of_its_own_and_says_what_it_shows() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells
    for panel in panels():
        assert panel["title"], panel
        assert panel["description"], panel
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])


def test_the_page_tells_of_each_row_and_each_alert() -> None:
    for panel in DASHBOARD["panels"]:
        if panel["type"] == "row":
            assert f"| {panel['title']} |" in OPERATIONS, panel["title"]
    told = re.findall(r"^\| `(Helixir\w+)` \|", OPERATIONS, flags=re.MULTILINE)
    assert told == [rule["alert"] for rule in rules()]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_each_alert_asks_for_what_there_is(rule: dict[str, Any]) -> None:
    assert check(rule["expr"])
    assert rule["labels"]["severity"] in {"page", "look"}
    assert rule["annotations"]["summary"].endswith((".", "?"))


def test_what_waits_is_named_as_the_database_names_it() -> None:
    asked = {value for _, expression in queries() for value in re.findall(r'what="(\w+)"', expression)}
    asked |= {value for rule in rules() for value in re.findall(r'what="(\w+)"', rule["expr"])}
    schema = (ROOT / "alembic" / "versions" / "0001_tenants.sql").read_text(encoding="utf-8").partition("FUNCTION waiting()")[2]
    assert asked
    assert all(f"'{value}'" in schema for value in asked)


def test_the_table_names_each_metric_with_its_labels() -> None:
    part = OPERATIONS.partition("\n## Metrics\n")[2].partition("\n### Dashboard\n")[0]
    rows = re.findall(r"^\| `(helixir_\w+)` \|([^|]*)\| [^|]+ \|$", part, flags=re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    assert len(told) == len(rows)
    assert told == {shown_name(family): labels_of(family.name) for family in families() if family.name.startswith("helixir_")}


def services() -> dict[str, Any]:
    document = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return {name: one for name, one in document["services"].items() if one.get("profiles") == ["observability"]}


def mounts(service: dict[str, Any]) -> dict[str, str]:
    """Files of the repository by where they are in the container."""
    parts = [volume.split(":") for volume in service["volumes"] if volume.startswith("./")]
    assert all(mode == "ro" for *_, mode in parts)
    return {inside: outside for outside, inside, _ in parts}


def test_the_profile_reaches_nobody_but_this_machine_and_mounts_what_is_there() -> None:
    found = services()
    assert set(found) == {"prometheus", "grafana"}
    for service in found.values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        for outside in mounts(service).values():
            assert (ROOT / outside).exists(), outside


def test_the_files_name_each_other_as_they_are_mounted() -> None:
    found = services()
    prometheus, grafana = mounts(found["prometheus"]), mounts(found["grafana"])
    assert any(argument == "--config.file=/etc/prometheus/prometheus.yml" for argument in found["prometheus"]["command"])
    assert prometheus["/etc/prometheus/prometheus.yml"] == "./observability/prometheus.yml"
    assert set(read("prometheus.yml")["rule_files"]) <= set(prometheus)
    [job] = read("prometheus.yml")["scrape_configs"]
    assert (job["job_name"], job["static_configs"][0]["targets"]) == ("helixir", ["helixir:8000"])
    [source] = read("grafana/datasources.yml")["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert {target["datasource"]["uid"] for panel in panels() for target in panel["targets"]} == {source["uid"]}
    [provider] = read("grafana/dashboards.yml")["providers"]
    assert grafana[f"{provider['options']['path']}/helixir.json"] == "./observability/grafana/helixir.json"
    for kind in ("datasources", "dashboards"):
        assert grafana[f"/etc/grafana/provisioning/{kind}/helixir.yml"] == f"./observability/grafana/{kind}.yml"
