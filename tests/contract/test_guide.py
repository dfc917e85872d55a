"""docs/writing-a-memory-plugin.md does what it says: its plugin is installed by its entry point, and its hosts run."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from contract.installed import environment, install, python

from pulse_hookspecs import ArchiveReceipt, Message, Plugins, SessionMeta, TextBlock

GUIDE = (Path(__file__).parents[2] / "docs" / "writing-a-memory-plugin.md").read_text(encoding="utf-8")
PLUGIN, HOST, ASYNC_HOST = re.findall(r"^```python\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)
PYPROJECT = tomllib.loads(re.findall(r"^```toml\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)[0])


def said(number, *, named=True):
    return Message(id=f"m-{number}" if named else "", role="user", blocks=(TextBlock(text=f"word\u2028{number}"),))


@pytest.fixture
def plugins(tmp_path):
    namespace = {"__name__": "notebook"}
    exec(PLUGIN, namespace)
    loaded = Plugins.load(group=None, extra={"notebook": namespace["Notebook"]})
    with loaded.running(pulse_root=tmp_path, pulse_name="ada"):
        yield loaded


def test_the_whole_plugin_is_shorter_than_eighty_lines():
    assert len(PLUGIN.splitlines()) < 80


@pytest.mark.parametrize("named", [True, False])
def test_the_plugin_keeps_each_message_once_whether_or_not_it_has_an_id(plugins, named):
    session = SessionMeta(session_id="../s-1")
    first, second, third = (said(number, named=named) for number in range(3))

    plugins.create_checkpoint(session, (first, second), "auto")
    receipt = plugins.archive_session(session, (first, second, third))

    assert isinstance(receipt, ArchiveReceipt)
    assert (receipt.archived, receipt.new_messages, receipt.already_known) == (True, 1, 2)
    assert "word\u20282\n</recalled>" in plugins.session_context(SessionMeta(session_id="s-2"))
    assert plugins.health()["notebook"].layers[0].detail == "1 sessions"


def test_the_plugin_says_why_it_could_not_write(plugins, tmp_path):
    (tmp_path / "notebook").rmdir()

    receipt = plugins.archive_session(SessionMeta(session_id="s-1"), (said(1),))

    assert not receipt.archived
    assert receipt.reasons[0].endswith("cannot be written: No such file or directory")
    assert plugins.health()["notebook"].state == "degraded"


def test_the_hosts_of_the_guide_find_the_plugin_by_its_entry_point(tmp_path):
    entry_points = PYPROJECT["project"]["entry-points"]["pulse.plugins"]
    site = install(tmp_path / "site", entry_points, {"notebook": PLUGIN}, dist="pulse_notebook")

    said = [
        subprocess.run(
            [python(), "-c", host],
            cwd=tmp_path,
            env=environment(site),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.splitlines()
        for host in (HOST, ASYNC_HOST)
    ]

    assert said[0] == ["a new session begins with: None", "new messages: 1", "notebook is healthy"]
    assert said[1] == ["a new session begins with: <recalled>", "The demo is on Friday.", "</recalled>"]
