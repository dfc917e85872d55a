"""`pulse init`, as a real process with really installed plugins."""

from __future__ import annotations

import os
import pty
import re
import select
import stat
import subprocess
import time
import tomllib
from pathlib import Path

import pytest
from contract.installed import environment, install, interrupt, python
from plain_user import PLAIN_USER

from pulse_host import settings as pulse_toml
from pulse_host.errors import SettingsError

MEMORY = """
    from pulse_hookspecs import *

    class Plugin:
        @hookimpl
        def plugin_meta(self):
            return PluginMeta(name="fake", version="1.0", role=Role.MEMORY)

        @hookimpl
        def setup_prompts(self):
            return (
                SetupPrompt(key="pulse_root", question="Where shall the memory live?", kind="path"),
                SetupPrompt(key="size", question="How many lines?", kind="integer", default=200),
                SetupPrompt(key="learn", question="Learn from sessions?", kind="flag", default=False, required=False),
                SetupPrompt(key="api_key", question="Key of the model?", secret=True, required=False),
                SetupPrompt(key="notes", question="Folder of notes?", kind="path", required=False),
            )

        @hookimpl
        def start(self, context):
            print("started")  # must not spoil anybody's output
            if context.config.get("learn"):
                raise OSError("no model to learn with")
            (context.pulse_root / "fake").mkdir(exist_ok=True)

        @hookimpl
        def create_checkpoint(self, session, messages, trigger):
            return CheckpointReceipt(session_id=session.session_id, saved=True, trigger=trigger)

        @hookimpl
        def archive_session(self, session, messages):
            return ArchiveReceipt(session_id=session.session_id, archived=True)

        @hookimpl
        def health(self):
            return Healthy(layers=(LayerHealth(name="lines", health=Healthy(), detail="0 of 200"),))
"""


@pytest.fixture
def site(tmp_path):
    return install(tmp_path / "site", {"fake": "fake_memory:Plugin"}, {"fake_memory": MEMORY})


@pytest.fixture
def their_home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def init(site, their_home, tmp_path):
    """A function that runs `pulse init` with its arguments, without a terminal, in `tmp_path`."""

    def run(*arguments, site=site, wrapper=()):
        return subprocess.run(
            [*wrapper, python(), "-m", "pulse_host", "init", *map(os.fsdecode, arguments)],
            cwd=tmp_path,
            env=environment(site, HOME=str(their_home)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def settings(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "pulse.toml").read_text(encoding="utf-8"))


def test_with_yes_every_default_is_written_and_the_memory_is_made(init, tmp_path):
    done = init("ada", "--yes")

    assert done.returncode == 0, done.stderr
    assert settings(tmp_path / "ada") == {
        "name": "ada",
        "pulse_root": str(tmp_path / "ada"),
        "plugins": {"fake": {"size": 200, "learn": False}},
    }
    assert (tmp_path / "ada" / "fake").is_dir()
    assert "fake" in done.stdout
    assert "healthy" in done.stdout
    assert "started" not in done.stdout


def test_the_file_is_for_its_owner_alone(init, tmp_path):
    init("ada", "--yes")

    assert stat.S_IMODE((tmp_path / "ada" / "pulse.toml").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "ada").iterdir() if path.is_file()] == ["pulse.toml"]


def test_answers_are_given_by_their_short_or_full_names_and_kept_in_their_kind(init, tmp_path, their_home):
    done = init(
        "ada", "--yes", "--set", "name=Ada L.", "--set", "pulse_root=../root", "--set", "fake.size=12",
        "--set", "learn=no", "--set", "notes=~/notes",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert settings(tmp_path / "ada") == {
        "name": "Ada L.",
        "pulse_root": str(tmp_path / "root"),
        "plugins": {"fake": {"size": 12, "learn": False, "notes": str(their_home / "notes")}},
    }
    assert (tmp_path / "root" / "fake").is_dir()


@pytest.mark.parametrize("key", ["entity_root", "fake.pulse_root", "pulse_root"])
def test_the_root_has_an_older_name_and_is_the_same_for_every_plugin(init, tmp_path, key):
    init("ada", "--yes", "--set", f"{key}=memory")

    assert settings(tmp_path / "ada")["pulse_root"] == str(tmp_path / "ada" / "memory")


def test_a_second_time_nothing_is_changed(init, tmp_path):
    init("ada", "--yes")
    file = tmp_path / "ada" / "pulse.toml"
    before = (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino)

    again = init("ada")

    assert again.returncode == 0, again.stderr
    assert "nothing was changed" in again.stdout
    assert (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino) == before


HAND_WRITTEN = """\
# by hand
entity_root = "memory"   # the older key
[server]
port = 8080  # somebody else's

[plugins.fake]
size = 7 # small
"""


def test_what_stands_in_the_file_is_kept_and_only_what_is_missing_is_added(init, tmp_path):
    (tmp_path / "pulse.toml").write_text(HAND_WRITTEN)

    done = init("--yes", "--set", "name=ada", "--set", "size=7", "--set", f"pulse_root={tmp_path / 'memory'}")

    assert done.returncode == 0, done.stderr
    assert settings(tmp_path) == {
        "entity_root": "memory",
        "server": {"port": 8080},
        "name": "ada",
        "plugins": {"fake": {"size": 7, "learn": False}},
    }
    text = (tmp_path / "pulse.toml").read_text()
    assert [line for line in HAND_WRITTEN.splitlines() if line not in text] == []
    assert (tmp_path / "memory" / "fake").is_dir()


@pytest.mark.parametrize("layout", ["plugins = { fake = { size = 7 } }\n", "plugins.fake.size = 7\n", "[plugins]\n"])
def test_other_ways_to_write_a_section_are_added_to_or_refused_but_never_spoilt(init, tmp_path, layout):
    (tmp_path / "pulse.toml").write_text(layout)

    done = init("--yes")

    if done.returncode == 0:
        assert settings(tmp_path)["plugins"]["fake"]["size"] == (7 if "7" in layout else 200)
        assert settings(tmp_path)["plugins"]["fake"]["learn"] is False
    else:
        assert "add them by hand" in done.stderr
        assert (tmp_path / "pulse.toml").read_text() == layout


def test_a_symbolic_link_to_the_file_stays_one(init, tmp_path):
    (tmp_path / "real.toml").write_text('name = "ada"\n')
    (tmp_path / "pulse.toml").symlink_to("real.toml")

    init("--yes")

    assert (tmp_path / "pulse.toml").is_symlink()
    assert "pulse_root" in tomllib.loads((tmp_path / "real.toml").read_text())


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--set", "colour=red"], "--set colour: there is no such key; use one of: name, pulse_root, fake.size,"),
        (["--set", "size"], "--set size: there is no value; write --set key=value"),
        (["--set", "size=many"], "--set fake.size: a whole number is needed, for example 12; How many lines?"),
        (["--set", "size="], "--set fake.size: an answer is needed"),
        (["--set", "learn=perhaps"], "--set fake.learn: yes or no is needed"),
        (["--set", "name=two\nlines"], "--set name: one line of valid text"),
        (["--set", b"name=\xff"], "--set name: one line of valid text"),
        (["--set", "pulse_root=~nobody-of-this-name/x"], "there is no home folder for"),
        (["--set", "pulse_root=/etc/hostname"], "is not a folder"),
        (["--set", "size=1", "--set", "size=2"], "--set fake.size is given twice, with different values"),
        (["--set", "api_key=a\nb"], "--set fake.api_key: one line"),
    ],
)
def test_a_wrong_answer_is_refused_with_what_would_be_right_and_nothing_is_written(
    init, tmp_path, arguments, complaint
):
    done = init("ada", "--yes", *arguments)

    assert done.returncode == 2
    assert complaint in done.stderr
    assert not (tmp_path / "ada").exists()


def test_without_a_terminal_it_says_what_is_missing_and_how_to_give_it(init, tmp_path):
    done = init("ada", "--set", "name=ada")

    assert done.returncode == 2
    assert f"--set pulse_root=...  Where shall the memory live? [{tmp_path / 'ada'}]" in done.stderr
    assert "--set fake.size=...  How many lines? [200]" in done.stderr
    assert "--set name" not in done.stderr
    assert "--yes" in done.stderr
    assert not (tmp_path / "ada").exists()


def test_without_a_terminal_answers_to_what_is_required_are_enough(init, tmp_path):
    done = init("ada", "--set", "name=ada", "--set", "pulse_root=.", "--set", "size=3")

    assert done.returncode == 0, done.stderr
    assert settings(tmp_path / "ada")["plugins"] == {"fake": {"size": 3, "learn": False}}


def test_an_answer_that_contradicts_the_file_is_refused_and_nothing_is_changed(init, tmp_path):
    init("ada", "--yes", "--set", "api_key=hunter2")
    before = (tmp_path / "ada" / "pulse.toml").read_bytes()

    done = init("ada", "--set", "size=3", "--set", "api_key=other-key", "--set", "name=ada")

    assert done.returncode == 1
    assert "fake.size is 200 there, not 3" in done.stderr
    assert "fake.api_key is (secret) there, not (secret)" in done.stderr
    assert "hunter2" not in done.stderr + done.stdout
    assert (tmp_path / "ada" / "pulse.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b'name = "ada"\npulse_root = \n', "pulse.toml:2: is not TOML: Invalid value"),
        (b'name = "a"\nname = "b"\n', "pulse.toml:2: is not TOML"),
        (b'name = "a\n', "pulse.toml:1: is not TOML"),
        (b'\n\nname = "\xff"\n', "pulse.toml:3: is not UTF-8"),
        (b"\nname = 3\n", "pulse.toml:2: name must be text in quotes"),
        (b'name = "a"\ndisabled = "recall"\n', "pulse.toml:2: disabled must be a list of plugin names"),
        (b"plugins = 3\n", "pulse.toml:1: plugins must be a table"),
        (b"[plugins]\nfake = 3\n", "pulse.toml:2: fake must be a section: [plugins.fake]"),
        (b'entity_root = "/a"\npulse_root = "/b"\n', "pulse.toml:1: entity_root must be the same folder as pulse_root"),
    ],
)
def test_a_broken_file_is_refused_with_its_line_and_never_overwritten(init, tmp_path, text, complaint):
    (tmp_path / "pulse.toml").write_bytes(text)

    done = init("--yes")

    assert done.returncode == 1
    assert complaint in done.stderr
    assert (tmp_path / "pulse.toml").read_bytes() == text


def test_a_file_in_place_of_the_folder_is_refused(init, tmp_path):
    (tmp_path / "ada").write_text("")

    done = init("ada", "--yes")

    assert done.returncode == 2
    assert "is not a folder" in done.stderr


def test_a_folder_that_cannot_be_written_is_named(init, tmp_path):
    (tmp_path / "ada").mkdir(mode=0o500)

    done = init("ada", "--yes", wrapper=PLAIN_USER)

    assert done.returncode == 1
    assert "pulse.toml: cannot be written: Permission denied" in done.stderr


def test_a_file_that_somebody_else_changed_meanwhile_is_left_alone(tmp_path):
    file = tmp_path / "pulse.toml"
    read = pulse_toml.read(file)
    file.write_text('name = "theirs"\n')

    with pytest.raises(SettingsError, match="was changed by somebody else meanwhile"):
        pulse_toml.write(read, {"name": "ours"}, {})

    assert file.read_text() == 'name = "theirs"\n'
    assert list(tmp_path.iterdir()) == [file]


def test_an_edit_that_would_come_out_wrong_is_refused_and_nothing_is_written(tmp_path, monkeypatch):
    file = tmp_path / "pulse.toml"
    file.write_text("[server]\nport = 1\n")
    monkeypatch.setattr(pulse_toml, "_edited", lambda before, *_: f'{before}name = "ada"\n')

    with pytest.raises(SettingsError, match="cannot be added to safely; add them by hand: name"):
        pulse_toml.write(pulse_toml.read(file), {"name": "ada"}, {})

    assert file.read_text() == "[server]\nport = 1\n"


# --- plugins ----------------------------------------------------------------------------------------------------------


def test_a_plugin_that_does_not_start_is_shown_and_the_file_is_kept(init, tmp_path):
    done = init("ada", "--yes", "--set", "learn=yes")

    assert done.returncode == 1
    assert "start raised OSError: no model to learn with" in done.stdout
    assert "does not work yet" in done.stdout
    assert settings(tmp_path / "ada")["plugins"]["fake"]["learn"] is True


def test_without_any_plugin_the_pulse_is_set_up_and_says_what_it_lacks(init, tmp_path):
    empty = install(tmp_path / "empty", {}, {})

    done = init("ada", "--yes", site=empty)

    assert done.returncode == 1
    assert "no plugin fills the Memory role" in done.stdout
    assert settings(tmp_path / "ada") == {"name": "ada", "pulse_root": str(tmp_path / "ada")}


def test_of_two_memories_one_is_chosen_by_disabling_the_other(init, tmp_path):
    both = {"fake": "fake_memory:Plugin", "other": "fake_memory:Plugin"}
    two = install(tmp_path / "two", both, {"fake_memory": MEMORY})

    refused = init("ada", "--yes", site=two)
    chosen = init("ada", "--yes", "--disable", "other", site=two)
    again = init("ada", "--yes", site=two)
    changed = init("ada", "--disable", "fake", site=two)

    assert refused.returncode == 1
    assert "fake, other" in refused.stderr
    assert "run `pulse init ada --disable NAME`" in refused.stderr
    assert (chosen.returncode, again.returncode) == (0, 0)
    assert settings(tmp_path / "ada")["disabled"] == ["other"]
    assert changed.returncode == 1
    assert 'says already which plugins are disabled: ["other"]' in changed.stderr


def test_a_key_that_two_plugins_ask_for_is_given_by_its_full_name(init, tmp_path):
    tool = MEMORY.replace("Role.MEMORY", "Role.TOOL").replace('name="fake"', 'name="tool"')
    site = install(
        tmp_path / "two",
        {"fake": "fake_memory:Plugin", "my.tool": "fake_tool:Plugin"},
        {"fake_memory": MEMORY, "fake_tool": tool},
    )

    ambiguous = init("ada", "--yes", "--set", "size=1", site=site)
    clear = init("ada", "--yes", "--set", "fake.size=1", "--set", "my.tool.size=2", site=site)

    assert ambiguous.returncode == 2
    assert "several keys are called so; use one of: fake.size, my.tool.size" in ambiguous.stderr
    assert clear.returncode == 0, clear.stderr
    plugins = settings(tmp_path / "ada")["plugins"]
    assert (plugins["fake"]["size"], plugins["my.tool"]["size"]) == (1, 2)


# --- at a terminal ----------------------------------------------------------------------------------------------------


class Terminal:
    """`pulse init` at a pseudo-terminal: `read_until` what it says, `type` what a person would."""

    def __init__(self, arguments, cwd, env):
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [python(), "-m", "pulse_host", "init", *arguments],
            cwd=cwd,
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.said = ""
        self._read = 0

    def read_until(self, words, seconds=20.0):
        deadline = time.monotonic() + seconds
        while words not in self.said[self._read :]:
            if not self._receive(deadline):
                pytest.fail(f"{words!r} did not come; it said: {self.said}")
        self._read = self.said.index(words, self._read) + len(words)

    def type(self, text):
        os.write(self._ours, text.encode())

    def ends(self, seconds=20.0):
        while self._receive(time.monotonic() + seconds):
            pass
        return self.process.wait(seconds)

    def _receive(self, deadline):
        ready, _, _ = select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
        try:
            data = os.read(self._ours, 65536) if ready else b""
        except OSError:  # Linux's way to say that the other end is closed
            data = b""
        self.said += data.decode("utf-8", "replace")
        return bool(data)

    def close(self):
        os.close(self._ours)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


@pytest.fixture
def terminal(site, their_home, tmp_path):
    opened = []

    def start(*arguments):
        opened.append(Terminal(arguments, tmp_path, environment(site, HOME=str(their_home), TERM="dumb")))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_a_person_is_asked_until_each_answer_is_right_and_a_secret_is_not_shown(terminal, tmp_path):
    person = terminal("ada")
    person.read_until("What is this pulse called? [ada]")
    person.type("Ada\n")
    person.read_until(f"Where shall the memory live? [{tmp_path / 'ada'}]")
    person.type("\n")
    person.read_until("How many lines? [200]")
    person.type("many\n")
    person.read_until("a whole number is needed")
    person.read_until("How many lines? [200]")
    person.type("12\n")
    person.read_until("Learn from sessions? [no]")
    person.type("\n")
    person.read_until("Key of the model?")
    person.type("hunter2\n")
    person.read_until("Folder of notes?")
    person.type("\n")

    assert person.ends() == 0, person.said
    assert settings(tmp_path / "ada") == {
        "name": "Ada",
        "pulse_root": str(tmp_path / "ada"),
        "plugins": {"fake": {"size": 12, "learn": False, "api_key": "hunter2"}},
    }
    assert "hunter2" not in person.said
    assert re.search(r"lines.*healthy.*0 of 200", person.said)


def test_the_end_of_input_leaves_nothing_written(terminal, tmp_path):
    person = terminal("ada")
    person.read_until("What is this pulse called?")
    person.type("Ada\n")
    person.read_until("Where shall the memory live?")
    person.type("\x04")

    assert person.ends() == 1
    assert "no answer to pulse_root; nothing was written" in person.said
    assert not (tmp_path / "ada").exists()


def test_an_interrupt_leaves_nothing_written(terminal, tmp_path):
    person = terminal("ada")
    person.read_until("What is this pulse called?")
    interrupt(person.process)

    assert person.ends() == 130
    assert "Traceback" not in person.said
    assert not (tmp_path / "ada").exists()
