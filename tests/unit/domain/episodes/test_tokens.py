from __future__ import annotations

import base64
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recall_plugin
from recall_plugin.domain.episodes.tokens import estimate, longest_prefix

TOKENIZER = Path(recall_plugin.__file__).parent / "graph/embedding/offline/tokenizer.json"
RANDOM = random.Random(7)
MIXED = st.text(max_size=300) | st.text(alphabet="aeKkxqtT z19_-\n한é\u0301中とแ👍", max_size=300)
TEXTS = {
    "english": "We decided yesterday to replace the queue, because the old library loses messages under load. ",
    "german": "Außerdem möchte Frau Brandt die Zugriffsberechtigungen vor der Veröffentlichung überprüfen lassen. ",
    "finnish": "Käyttöliittymän nopeusrajoitus pysyy toistaiseksi ennallaan, kunnes järjestelmänvalvoja hyväksyy sen. ",
    "polish": "Wczoraj zdecydowaliśmy się zastąpić kolejkę komunikatów własną implementacją. ",
    "turkish": "Arayüzün hız sınırlaması şimdilik değişmeden kalacak, erişim izinleri gözden geçirilecek. ",
    "vietnamese": "Hôm qua chúng tôi đã quyết định thay thế hàng đợi tin nhắn bằng một bản triển khai riêng. ",
    "russian": "Вчера мы решили заменить очередь сообщений собственной реализацией. ",
    "greek": "Χθες αποφασίσαμε να αντικαταστήσουμε την ουρά μηνυμάτων. ",
    "arabic": "قررنا أمس استبدال قائمة انتظار الرسائل بتنفيذنا الخاص. ",
    "hebrew": "אתמול החלטנו להחליף את תור ההודעות במימוש שלנו. ",
    "hindi": "कल हमने संदेश कतार को अपने कार्यान्वयन से बदलने का निर्णय लिया। ",
    "thai": "เมื่อวานเราตัดสินใจเปลี่ยนคิวข้อความเป็นของเราเอง ",
    "chinese": "昨天我们决定用自己的实现来替换消息队列，因为现有的库会丢失消息。",
    "japanese": "昨日、メッセージキューを自前の実装に置き換えることにしました。",
    "korean": "어제 우리는 메시지 큐를 자체 구현으로 교체하기로 결정했습니다. ",
    "emoji": "👍 🎉 ❤️ 🚀 👨‍👩‍👧 ",
    "code": "def longest_prefix(text: str, start: int) -> int:\n    return sum(map(_cost, _RUN.findall(text))) or -1\n",
    "constants": "SQLITE_MISUSE_BKPT EOPNOTSUPP XDG_CONFIG_HOME MAX_PKT_SZ TLSv1_3 JSONDecodeError HTTPSPool ",
    "table": "| a | b | 12.5 | x_y |\n|---|---|---|---|\n",
    "hex": " ".join(RANDOM.randbytes(16).hex() for _ in range(200)),
    "base64": "\n".join(base64.b64encode(RANDOM.randbytes(57)).decode() for _ in range(100)),
    "urls": " ".join(
        f"https://a-{n}.example.org/v2/{RANDOM.randbytes(6).hex()}?page={n * 37}&q=Tide" for n in range(99)
    ),
    "log": "\n".join(f"2026-03-06T12:{n:02}:07.{n * 7}Z ERROR [w-{n}] 0x{n * 991:08x} GET /api/{n}" for n in range(99)),
    "numbers": " ".join(str(RANDOM.randrange(10**9)) for _ in range(300)),
}


def test_white_space_is_free_and_nothing_else_is() -> None:
    assert estimate(" \n\t\u3000") == 0
    assert [estimate(text) for text in ("a", "—", "中", "한", "하")] == [1, 1, 1, 3, 2]


@pytest.mark.skipif(not TOKENIZER.exists(), reason="the offline model's tokenizer is not here")
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_estimated_at_200_tokens_is_at_most_254_for_the_model(name: str) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    text = TEXTS[name] * (5000 // len(TEXTS[name]) + 1)
    start, real = 0, []
    while start < len(text):
        end = longest_prefix(text, start, 200)
        real.append(len(tokenizer.encode(text[start:end], add_special_tokens=False).ids))
        start = end

    assert max(real) <= 254


@given(MIXED, st.integers(0, 20), st.integers(40, 100))
def test_a_prefix_is_the_longest_that_keeps_to_its_limit(text: str, start: int, limit: int) -> None:
    start = min(start, len(text))
    end = longest_prefix(text, start, limit)

    assert estimate(text[start:end]) <= limit
    assert end == len(text) or estimate(text[start : end + 25]) > limit or text[end : end + 25].isspace()
    assert end > start or start == len(text)


@given(MIXED, MIXED)
def test_passages_apart_cost_what_they_cost_together(first: str, second: str) -> None:
    together = estimate(f"{first}\n{second}")

    assert together <= estimate(first) + estimate(second) <= together + 1


@pytest.mark.parametrize("unit", ["a", "中", "xK9+", "👍", " ", "e\u0301"])
def test_a_megabyte_is_estimated_within_two_seconds(unit: str) -> None:
    text = unit * (10**6 // len(unit))
    began = time.process_time()

    estimate(text)

    assert time.process_time() - began < 2
