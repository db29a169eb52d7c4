"""Serves a gguf file as an OpenAI-compatible server on a free local port: a program of its own, run by `conftest.py`.

    python serve_model.py FOLDER GGUF KEY

FOLDER holds `xllamacpp`. Its address is the last line on standard output; it ends when standard input does.
"""

from __future__ import annotations

import importlib
import os
import sys


def main() -> None:
    """Load the model, say where it is, and wait for the end of standard input."""
    folder, gguf, key = sys.argv[1:]
    sys.path.insert(0, folder)
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.model_alias = {"tiny"}
    params.api_keys = [key]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    # One thread: on shared cores threads that wait for each other in turns take many times as long.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"\nlistening {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # the server's own threads do not end by themselves


if __name__ == "__main__":
    main()
