"""A model of the catalogue comes from the folder of models, else from the hub, else an error says what to do."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from small_model import DIMENSION, NAME, REPOSITORY, REVISION, TOKENIZER, cached_model, small_model

from recall_plugin.errors import ModelUnusable
from recall_plugin.graph.embedding import open_embedder

OPEN = """
import sys
from pathlib import Path
from recall_plugin.errors import RecallError
from recall_plugin.graph.embedding import catalogue, open_embedder

catalogue._SILENCE_SECONDS = 1.0
catalogue.locate.__kwdefaults__["silence"] = 1.0
try:
    with open_embedder(sys.argv[1], Path(sys.argv[2]), 1) as embedder:
        print(embedder.identity.name, embedder.embed(["text"]).shape)
except RecallError as error:
    print(type(error).__name__, error)
"""


def open_elsewhere(folder: Path, endpoint: str, name: str = NAME) -> str:
    """What opening a model in a process of its own, with its hub at `endpoint`, prints."""
    environment = {**os.environ, "HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(folder / "home")}
    environment.pop("HF_HUB_OFFLINE", None)
    done = subprocess.run(
        [sys.executable, "-c", OPEN, name, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    assert done.stderr == ""
    return done.stdout


@contextmanager
def hub(onnx: bytes) -> Iterator[str]:
    """A hub with one model, as far as its library asks for anything."""
    contents = {path.name: path.read_bytes() for path in TOKENIZER.iterdir()} | {"model.onnx": onnx}
    listing = [
        {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
        for name, data in contents.items()
    ]
    siblings = [{"rfilename": name} for name in contents]

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            name = path.rpartition("/")[2]
            if path.startswith(f"/{REPOSITORY}/resolve/") and name in contents:
                self._send(contents[name], hashlib.sha256(contents[name]).hexdigest())
            elif path.startswith(f"/api/models/{REPOSITORY}/tree/"):
                self._send(json.dumps(listing).encode())
            elif path.startswith(f"/api/models/{REPOSITORY}"):
                self._send(json.dumps({"id": REPOSITORY, "sha": REVISION, "siblings": siblings}).encode())
            else:
                self.send_error(404)

        do_HEAD = do_GET

        def _send(self, data: bytes, etag: str = "none") -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Type", "application/json")
            self.send_header("ETag", f'"{etag}"')
            self.send_header("X-Repo-Commit", REVISION)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_cached_model_opens_without_its_hub_whatever_the_case_of_its_name(tmp_path: Path) -> None:
    cached_model(tmp_path, small_model({}))
    with open_embedder(NAME.upper(), tmp_path, 1) as opened:
        vectors = opened.embed(["the deployment window is on Tuesday"])

    assert opened.identity.name == NAME
    assert vectors.shape == (1, opened.dimension) == (1, DIMENSION)


def test_a_model_swapped_for_one_of_the_same_size_is_another_model(tmp_path: Path) -> None:
    snapshot = cached_model(tmp_path, small_model({}))
    with open_embedder(NAME, tmp_path, 1) as before:
        pass
    (snapshot / "model.onnx").write_bytes(small_model({"lost": 0.0}))
    with open_embedder(NAME, tmp_path, 1) as after:
        pass

    assert before.dimension == after.dimension
    assert before.identity != after.identity
    assert before.identity.key != after.identity.key


def test_a_cached_model_that_cannot_be_loaded_is_named_with_its_folder(tmp_path: Path) -> None:
    snapshot = cached_model(tmp_path, b"no model")

    with pytest.raises(ModelUnusable, match=f"{snapshot} cannot be loaded.*remove that folder"):
        open_embedder(NAME, tmp_path, 1)


def test_a_model_is_fetched_once_and_a_damaged_one_again(tmp_path: Path) -> None:
    models = tmp_path / "models"
    onnx = small_model({})
    with hub(onnx) as endpoint:
        fetched = open_elsewhere(models, endpoint)
        (stored,) = models.glob("models--*/snapshots/*/model.onnx")
        stored.write_bytes(onnx[:1000])
        mended = open_elsewhere(models, endpoint)
    without = open_elsewhere(models, "http://127.0.0.1:1")

    assert fetched == mended == without == f"{NAME} (1, {DIMENSION})\n"
    assert stored.read_bytes() == onnx


def test_a_hub_that_cannot_be_reached_is_named_with_what_to_do(tmp_path: Path) -> None:
    said = open_elsewhere(tmp_path / "models", "http://127.0.0.1:1")

    assert said.startswith(f"ModelMissing the embedding model {NAME}: it is not in {tmp_path / 'models'}")
    assert f"http://127.0.0.1:1/{REPOSITORY.lower()}" in said.lower()
    assert "Connection refused" in said
    assert "minilm-int8" in said


def test_a_hub_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        said = open_elsewhere(tmp_path / "models", f"http://127.0.0.1:{silent.getsockname()[1]}")

    assert "no byte came for 1 s" in said
