# The service alone, for a Postgres that is already there. docker-compose.yml brings one.
FROM python:3.11-slim-trixie AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/helixir
WORKDIR /build
COPY requirements.lock ./
RUN /opt/helixir/bin/python -m pip install --no-deps --require-hashes --requirement requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app ./app
RUN /opt/helixir/bin/python -m pip install --no-deps --no-index --no-build-isolation .

FROM python:3.11-slim-trixie
ENV PATH=/opt/helixir/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HELIXIR_HOST=0.0.0.0 \
    HELIXIR_PORT=8000 \
    HELIXIR_HOME=/tmp/helixir
COPY --from=build /opt/helixir /opt/helixir
# Migrations are found in the working directory.
WORKDIR /srv/helixir
COPY alembic ./alembic
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['HELIXIR_PORT']}/livez\", timeout=2)"]
# Longer than the server gives open requests; `docker stop --time` must be longer, too.
STOPSIGNAL SIGTERM
CMD ["helixir", "serve"]
