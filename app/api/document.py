"""The OpenAPI document: what FastAPI finds in the routes, and the little that it cannot find there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.api.links import add_links
from app.api.routers import ROUTES
from app.api.schemas.problem import Problem

_REFERENCE_TEMPLATE = "#/components/schemas/{model}"

DESCRIPTION = """\
A memory that never rewrites, drops or forgets something silently. A charter rules every write, and what it may not
decide alone it asks the human.

Errors are RFC 9457 problem documents; they never quote the request. Times are RFC 3339 in UTC. Every request carries
`Authorization: Bearer <key>`, but for the health checks and this document."""

TAGS = [
    {"name": "memories", "description": "Write, read, edit and recall."},
    {"name": "owner's acts", "description": "What only an owner may do to one memory."},
    {"name": "writes", "description": "What became of writes."},
    {"name": "contradictions", "description": "What has to be asked, and the answers."},
    {"name": "decisions", "description": "The audit trail."},
    {"name": "charter", "description": "The rules of all this."},
    {"name": "rules", "description": "What answers taught, and what they propose."},
    {"name": "me", "description": "The key itself."},
    {"name": "health", "description": "Open to everyone."},
]


def document_of(app: FastAPI) -> Callable[[], dict[str, Any]]:
    """What `app.openapi` answers: built once, without a database."""

    def build() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
                license_info=app.license_info,
            )
            _add_problem(document)
            _keep_nulls_in_examples(document)
            _drop_null_from_parameters(document)
            _require_if_match(document)
            add_links(document)
            app.openapi_schema = document
        return app.openapi_schema

    return build


def _add_problem(document: dict[str, Any]) -> None:
    schema = Problem.model_json_schema(ref_template=_REFERENCE_TEMPLATE, mode="serialization")
    schemas = document["components"]["schemas"]
    schemas.update(schema.pop("$defs", {}))
    schemas["Problem"] = schema
    for members in (schema["properties"], schemas["FieldError"]["properties"]):  # absent rather than null
        for member in members.values():
            _drop_null(member)


def _keep_nulls_in_examples(document: dict[str, Any]) -> None:
    """FastAPI leaves out what is null, also in examples; but an answer has every field."""
    for route in ROUTES:
        for method in route.methods or ():
            shown = document["paths"][route.path_format][method.lower()]["responses"]
            for status, response in route.responses.items():
                for media_type, content in response.get("content", {}).items():
                    examples = {name: content[name] for name in ("example", "examples") if name in content}
                    shown[str(status)]["content"][media_type].update(examples)


def _drop_null_from_parameters(document: dict[str, Any]) -> None:
    """A query or a header can be absent; it cannot be null."""
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                _drop_null(parameter["schema"])


def _drop_null(schema: dict[str, Any]) -> None:
    if "anyOf" in schema:
        others = [variant for variant in schema.pop("anyOf") if variant != {"type": "null"}]
        schema.update(others[0] if len(others) == 1 else {"anyOf": others})
    if schema.get("default", ...) is None:
        del schema["default"]


def _require_if_match(document: dict[str, Any]) -> None:
    """The route takes it as optional to answer 428 instead of 422; for callers it is required."""
    for parameter in document["paths"]["/memories/{memory_id}"]["patch"]["parameters"]:
        if parameter["name"] == "If-Match":
            parameter["required"] = True
            form = r'^([1-9][0-9]{0,8}|"[1-9][0-9]{0,8}")$'
            parameter["schema"] = {"type": "string", "title": "If-Match", "pattern": form, "examples": ["1"]}
