"""`pulse status`, as a real process with really installed plugins."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import pytest
from contract.installed import environment, install, python

MEMORY = """
    from pulse_hookspecs import *

    HEALTHS = {
        "healthy": Healthy(layers=(LayerHealth(name="archives", health=Healthy(), detail="3 sessions"),)),
        "degraded": Degraded(
            reasons=("the index is [bold]old[/bold]; run `fake \\x1b[31mrebuild`",),
            layers=(
                LayerHealth(name="graph", health=Down(reason="locked by process 4711")),
                LayerHealth(name="MEMORY.md", health=Healthy(), detail="12 of 200 lines"),
            ),
        ),
        "down": Down(reason="the disk is gone"),
    }

    class Plugin:
        @hookimpl
        def plugin_meta(self):
            return PluginMeta(name="fake", version="1.0", role=Role.MEMORY)

        @hookimpl
        def start(self, context):
            print("a plugin that prints")
            self.state = context.config.get("state", "healthy")
            if self.state == "start":
                raise OSError("will not start")

        @hookimpl
        def create_checkpoint(self, session, messages, trigger): ...

        @hookimpl
        def archive_session(self, session, messages): ...

        @hookimpl
        def health(self):
            return HEALTHS[self.state]
"""
BROKEN = "raise RuntimeError('no licence')"


@pytest.fixture
def site(tmp_path):
    return install(tmp_path / "site", {"fake": "fake_memory:Plugin"}, {"fake_memory": MEMORY})


@pytest.fixture
def status(site, tmp_path):
    """A function that runs `pulse status` with its arguments in `cwd`, by default a folder with a pulse.toml."""
    pulse = tmp_path / "ada"
    (pulse / "deep" / "below").mkdir(parents=True)
    (pulse / "root").mkdir()

    def run(*arguments, state="healthy", cwd=pulse, site=site, more=""):
        section = f'[plugins.fake]\nstate = "{state}"\nsince = 2026-03-07\n'
        (pulse / "pulse.toml").write_text(f'pulse_root = "root"\n{more}\n{section}')
        return subprocess.run(
            [python(), "-m", "pulse_host", "status", *map(str, arguments)],
            cwd=cwd,
            env=environment(site),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("state", "code", "seen"),
    [
        ("healthy", 0, ["ada is healthy", "fake        healthy   memory, 1.0", "  archives  healthy   3 sessions"]),
        (
            "degraded",
            1,
            [
                "ada is degraded",
                "fake         degraded  memory, 1.0; the index is [bold]old[/bold]; run `fake [31mrebuild`",
                "  graph      down      locked by process 4711",
                "  MEMORY.md  healthy   12 of 200 lines",
            ],
        ),
        ("down", 2, ["ada is down", "fake  down      memory, 1.0; the disk is gone"]),
        ("start", 2, ["fake  down      memory, 1.0; start raised OSError: will not start"]),
        ("nonsense", 2, ["fake  down      memory, 1.0; health raised KeyError: 'nonsense'"]),
    ],
)
def test_it_shows_every_layer_and_reason_in_plain_lines_and_exits_accordingly(status, state, code, seen):
    done = status(state=state)

    assert done.returncode == code, done.stderr
    assert [line for line in seen if line not in done.stdout.splitlines()] == []
    assert "\x1b" not in done.stdout
    assert "a plugin that prints" not in done.stdout


def test_json_has_the_same_facts_for_programs(status, tmp_path):
    done = status("--json", state="degraded", more='name = "Ada"')

    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert {key: said[key] for key in ("state", "name", "config", "pulse_root", "notes")} == {
        "state": "degraded",
        "name": "Ada",
        "config": str(tmp_path / "ada" / "pulse.toml"),
        "pulse_root": str(tmp_path / "ada" / "root"),
        "notes": [],
    }
    [plugin] = said["plugins"]
    assert (plugin["name"], plugin["role"], plugin["version"]) == ("fake", "memory", "1.0")
    assert plugin["health"]["state"] == "degraded"
    assert plugin["health"]["layers"][0]["health"] == {
        "state": "down",
        "reason": "locked by process 4711",
        "layers": [],
    }


def test_a_broken_plugin_is_shown_beside_the_others(status, tmp_path):
    plugins = {"fake": "fake_memory:Plugin", "broken": "fake_broken"}
    site = install(tmp_path / "two", plugins, {"fake_memory": MEMORY, "fake_broken": BROKEN})

    done = status(site=site)
    without = status(site=site, more='disabled = ["broken", "gone"]')

    assert done.returncode == 2
    assert "cannot be loaded from fake_broken: RuntimeError: no licence" in done.stdout
    assert "archives" in done.stdout
    assert without.returncode == 0
    assert "note: disabled, but not installed: gone" in without.stdout


def test_without_a_memory_it_is_down_and_says_what_to_do(status, tmp_path):
    done = status(site=install(tmp_path / "empty", {}, {}))

    assert done.returncode == 2
    assert "no plugin fills the Memory role" in done.stdout
    assert "install a plugin for the Memory role" in done.stdout


def test_two_memories_are_named_and_the_file_to_choose_in(status, tmp_path):
    both = {"fake": "fake_memory:Plugin", "other": "fake_memory:Plugin"}

    done = status(site=install(tmp_path / "two", both, {"fake_memory": MEMORY}))

    assert done.returncode == 2
    assert 'fake, other; disable all but one, for example: disabled = ["other"]; write that into' in done.stderr


def test_pulse_toml_is_found_above_or_by_folder_or_by_name(status, tmp_path):
    pulse = tmp_path / "ada"

    found = [
        status(cwd=pulse / "deep" / "below"),
        status("--dir", pulse, cwd=tmp_path),
        status("--config", pulse / "pulse.toml", cwd=tmp_path),
    ]

    assert [done.returncode for done in found] == [0, 0, 0]
    assert {done.stdout for done in found} == {found[0].stdout}


def test_the_older_key_names_the_root(status, tmp_path):
    status()
    (tmp_path / "ada" / "old.toml").write_text(f'entity_root = "{tmp_path / "ada" / "root"}"\n')

    done = status("--config", tmp_path / "ada" / "old.toml")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "there is no such file; set a pulse up with `pulse init"),
        ("name = \n", "x.toml:1: is not TOML: Invalid value; mend that line"),
        ('name = "a"\n', "says no pulse_root; run `pulse init"),
        ('pulse_root = "gone"\n', "gone does not exist; run `pulse init"),
        ('pulse_root = "x.toml"\n', "is not a folder; move it away"),
    ],
)
def test_what_keeps_it_from_looking_is_down_too(status, tmp_path, text, complaint):
    if text is not None:
        (tmp_path / "x.toml").write_text(text)

    done = status("--json", "--config", tmp_path / "x.toml")

    assert done.returncode == 2
    assert complaint in done.stderr
    said = json.loads(done.stdout)
    assert said["state"] == "down"
    assert complaint in said["reason"]


def test_without_a_pulse_anywhere_it_says_so(status, tmp_path):
    done = status(cwd=tmp_path)

    assert done.returncode == 2
    assert "there is no such file (nor in any folder above)" in done.stderr


def test_looking_leaves_the_pulse_as_it_was(status, tmp_path):
    status()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "ada").rglob("*") if path.name != "pulse.toml"}

    status()

    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "ada").rglob("*") if path.name != "pulse.toml"}
    assert after == before


def test_at_a_terminal_brackets_are_no_markup_and_escapes_are_harmless(status, site, tmp_path):
    status(state="degraded")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [python(), "-m", "pulse_host", "status"],
        cwd=tmp_path / "ada",
        env=environment(site, TERM="xterm-256color", COLUMNS="200"),
        stdout=theirs,
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while data := os.read(ours, 65536):
                said += data
        except OSError:  # Linux's way to say that the other end is closed
            pass
        os.close(ours)

    assert process.returncode == 1
    assert b"[bold]old[/bold]; run `fake [31mrebuild`" in said
    assert b"4711" in said


def test_a_reader_that_has_seen_enough_is_no_error(site, status, tmp_path):
    status()
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [python(), "-m", "pulse_host", "status"],
        cwd=tmp_path / "ada",
        env=environment(site),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writing)

    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
