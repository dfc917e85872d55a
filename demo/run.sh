#!/bin/sh
# The whole way of a session: a pulse is set up in a temporary folder, a recorded session is replayed through the host's
# hooks, and what the memory made of it is shown and searched. Nothing outside that folder is read or written.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
transcript="$here/5e0c2f4a-9b1d-4c6e-8a37-1f2d3c4b5a69.jsonl"
work=$(mktemp -d "${TMPDIR:-/tmp}/recall-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" RECALL_PULSE_ROOT="$work/nia"
mkdir -p "$HOME"

step() {
    printf '\n==> %s\n' "$*"
}

run() {
    printf '$'
    for word; do
        case $word in
        *[\ \?]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$@"
}

step "A pulse is set up"
run pulse init "$work/nia" --yes --set name=nia

step "A recorded session goes through the hooks; a small budget makes the host compact once"
run pulse replay --dir "$work/nia" --budget-tokens 1200 "$transcript"

memory="$work/nia/memory"
step "Layer 1, MEMORY.md: the curated facts, yours and the agent's"
printf '\n2026-11-24: quay lengths are metres, everywhere.\n' >>"$memory/MEMORY.md"
run tail -n 3 "$memory/MEMORY.md"

step "Layer 2, EPHEMERAL.md: what the latest sessions came to"
run cat "$memory/EPHEMERAL.md"

step "Layer 3, ARCHIVE.md and conversations/: everything that was said, secrets masked"
run cat "$memory/ARCHIVE.md"
run head -n 60 "$memory/conversations/conversation-001.md"

step "Search: lines, in any script"
run recall search 窗口
run recall search "redacted: url-password"

step "Search: by relevance, in your own words"
run recall search --ranked --limit 3 "Which queue did we choose instead of the Redis list?"

step "The graph: three kinds of witness, each counted by its class, and once"
run python "$here/claims.py" claims

step "Three questions: what is believed, how surely, why, and what was said where"
run recall graph query --limit 3 "Which queue did we choose?"
run recall graph query --limit 3 "When is the deployment window?"
run recall graph query --limit 3 "Which port does the api listen on?"

step "A correction: the confidence before and after"
run python "$here/claims.py" correction
run recall graph query --limit 3 "Which port does the api listen on?"
run recall graph show api

step "The graph is made again from the journal and the archives: nothing differs"
recall graph status --json >"$work/before.json"
recall graph overview --json >"$work/overview-before.json"
run recall rebuild
recall graph status --json >"$work/after.json"
recall graph overview --json >"$work/overview-after.json"
run recall graph overview --limit 3
python "$here/same.py" "$work"

step "What the next session is told"
run recall consume

step "The same session again: nothing is kept twice"
run recall archive "$transcript"

step "How it is"
run recall status
run pulse status --dir "$work/nia"
