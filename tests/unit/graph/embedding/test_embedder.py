"""The real model embeds what it is given, in any company and order."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from small_model import DIMENSION, NAME, cached_model, small_model

from recall_plugin.errors import EmbeddingStopped, ModelError, TextsNotEmbedded, UnknownModel, UsageError
from recall_plugin.graph.embedding import DEFAULT_MODEL, Embedder, open_embedder
from recall_plugin.graph.embedding.embedder import _unit_rows

TEXTS = [
    "We chose Kestrel as the queue.",
    "",
    " \n\t ",
    "部署窗口是周二",
    "a\0b",
    "broken \ud800 half",
    "👩‍👩‍👧 😀",
    "the deployment window is on Tuesday " * 60,
    "Zoë Brandt keeps bees.",
    "x" * 3000,
    "[CLS] [SEP] [MASK]",
]


def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    alone = np.stack([embedder.embed([text])[0] for text in TEXTS])
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]

    assert (np.einsum("ij,ij->i", alone, together) > 0.9999).all()
    assert (np.einsum("ij,ij->i", alone, backwards) > 0.9999).all()


def test_every_text_gives_a_unit_row_of_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_what_means_the_same_is_nearer_than_what_does_not(embedder: Embedder) -> None:
    query = embedder.embed_query("Which message queue did we choose?")
    cosines = embedder.embed(TEXTS) @ query

    assert query.shape == (384,)
    assert int(cosines.argmax()) == 0


@pytest.mark.parametrize("text", ["word " * 1_000_000, "x" * 5_000_000, "\0" * 5_000_000])
def test_a_text_of_megabytes_is_embedded_by_its_beginning(text: str, embedder: Embedder) -> None:
    assert embedder.embed([text])[0] @ embedder.embed([text[:16_000]])[0] > 0.9999


def test_progress_is_told_up_to_the_last_text(embedder: Embedder) -> None:
    told: list[tuple[int, int]] = []
    embedder.embed([f"{'many words ' * 25} {number}" for number in range(40)], progress=lambda *now: told.append(now))

    assert len(told) > 1
    assert told[-1] == (40, 40)
    assert told == sorted(set(told))


def test_a_stop_between_batches_keeps_what_was_given_before(embedder: Embedder) -> None:
    texts = [f"{'many words ' * 25} {number}" for number in range(40)]
    places: list[int] = []

    def keep_until_stopped() -> None:
        for batch in embedder.batches(texts, should_stop=lambda: len(places) >= 10):
            places.extend(batch.places)

    with pytest.raises(EmbeddingStopped) as caught:
        keep_until_stopped()

    assert 10 <= len(places) < 40
    assert (caught.value.done, caught.value.total) == (len(places), 40)


def test_nothing_is_embedded_when_told_to_stop_at_once(embedder: Embedder) -> None:
    with pytest.raises(EmbeddingStopped, match="after 0 of 1 texts"):
        embedder.embed(["text"], should_stop=lambda: True)


def test_two_threads_may_use_one_model(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(embedder.embed(TEXTS))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 2
    assert all((np.einsum("ij,ij->i", expected, vectors) > 0.9999).all() for vectors in found)


def test_texts_without_a_direction_are_named_and_the_others_kept(tmp_path: Path) -> None:
    cached_model(tmp_path, small_model({"lost": 0.0, "never": math.nan}))
    with open_embedder(NAME, tmp_path, 1) as opened:
        with pytest.raises(TextsNotEmbedded) as caught:
            opened.embed(["lost", "kept well", "never mind"])
        (batch,) = opened.batches(["lost", "kept well", "never mind"])
        with pytest.raises(TextsNotEmbedded, match="number 0"):
            opened.embed_query("lost")

    assert caught.value.places == (0, 2)
    assert batch.places == (1,)
    assert batch.vectors.shape == (1, DIMENSION)
    assert batch.unusable == (0, 2)


def test_a_row_that_is_zero_or_not_finite_has_no_direction() -> None:
    rows = np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e-30, 0], [3e38, 3e38]], np.float32)
    vectors, good = _unit_rows(rows)

    assert good.tolist() == [True, False, False, False, False, True]
    assert vectors[0].tolist() == pytest.approx([0.6, 0.8])
    assert np.linalg.norm(vectors[5]) == pytest.approx(1)


def test_a_closed_model_says_so(tmp_path: Path) -> None:
    opened = open_embedder(DEFAULT_MODEL, tmp_path, 1)
    opened.close()
    opened.close()

    with pytest.raises(ModelError, match="minilm-int8: closed"):
        opened.embed(["text"])


def test_a_model_works_with_at_least_one_thread(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not 0"):
        open_embedder(DEFAULT_MODEL, tmp_path, 0)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("baai/bge-smal-en-v1.5", "BAAI/bge-small-en-v1.5"),
        ("bge-small-en-v1.5", "BAAI/bge-small-en-v1.5"),
        ("all-MiniLM-L6", "sentence-transformers/all-MiniLM-L6-v2"),
        ("minilm", DEFAULT_MODEL),
    ],
)
def test_an_unknown_name_is_answered_with_what_is_spelled_alike(name: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownModel) as caught:
        open_embedder(name, tmp_path, 1)

    assert meant in caught.value.alike
    assert name in str(caught.value)


def test_the_offline_model_touches_no_network_and_no_folder_and_prints_nothing(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from recall_plugin.graph.embedding import open_embedder

assert not {"fastembed", "onnxruntime", "tokenizers", "huggingface_hub"} & set(sys.modules)

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.sendto"}:
        raise SystemExit(f"network: {event} {arguments}")

sys.addaudithook(refuse)
with open_embedder("MiniLM-int8", Path(sys.argv[1]) / "models", 1) as embedder:
    embedder.embed(["text"])
    embedder.embed_query("text")
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_embedding_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from recall_plugin.graph.embedding import open_embedder\n"
        "with open_embedder('minilm-int8', Path(sys.argv[1]), 1) as model: model.embed_query('a question')"
    )
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}

    subprocess.run([sys.executable, "-c", program, str(tmp_path / "models")], env=environment, check=True)

    assert list(home.rglob("*")) == []
