"""The main job on the documents in `examples/sample`, as one types it; run by `make demo`.

Shows each command and its output, and checks what it shows: the demo fails when a promise does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.provider import RecordedProvider

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".demo"
PROGRAM = Path(sys.executable).with_name("ragspine-graph")
STORE = "sqlite:///.demo/demo.db"
STORE_WITHOUT = "sqlite:///.demo/without.db"
VISIBLE = ["handbook", "policies", "notes"]
CHUNKER = "hierarchical"
SECRET_ID = "sample/restricted/reorganisation.md"
QUESTIONS = [
    "試用期間中の2ヶ月間、通勤手当と昼食手当は支給されますか？",
    "端末を紛失したときの連絡先は？",
    "移転の荷物は1人何箱まで？",
    "How many days a week may I work remotely during probation?",
]
PROFILE = "examples/profile.toml"
ANSWERS = ROOT / "examples" / "recorded_answers.json"
RIVAL = "北斗重工の売上は？"
ONE_DUTY = "ウイルス対策ソフト"
ALL_DUTIES = "端末、パスワード、紛失、BYODについての義務は？"


# What the commands find in their environment.
SETTINGS = {"RAGSPINE_STORE": STORE, "PYTHONUTF8": "1"}


def run(*arguments: str, store: str = STORE) -> subprocess.CompletedProcess[str]:
    """Run one command quietly; used for what the demo checks."""
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **SETTINGS, "RAGSPINE_STORE": store},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def show(*arguments: str) -> int:
    """Run one command as a person sees it, with the line one types."""
    typed = " ".join(f'"{a}"' if " " in a or "？" in a else a for a in arguments)
    print(f"\n{styled('1', f'$ ragspine-graph {typed}')}", flush=True)
    return subprocess.run(
        [PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, **SETTINGS},
        check=False,
    ).returncode


def styled(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if sys.stdout.isatty() else text


def say(text: str) -> None:
    print(f"\n{styled('36', f'# {text}')}", flush=True)


def check(holds: bool, promise: str) -> None:
    if not holds:
        sys.exit(f"the demo failed: expected that {promise}")
    print(f"  ok: {promise}", flush=True)


def answer(question: str, store: str = STORE) -> str:
    """What `search --json` prints, byte for byte."""
    result = run("search", question, "--json", store=store)
    if result.returncode != 0:
        sys.exit(f"the demo failed: {result.stderr.strip()}")
    return result.stdout


def blocks(question: str, store: str = STORE) -> list[dict[str, Any]]:
    """The blocks of a merged context."""
    result = run("context", question, "--expand", "merge", "--json", store=store)
    if result.returncode != 0:
        sys.exit(f"the demo failed: {result.stderr.strip()}")
    return json.loads(result.stdout)["blocks"]


def edges(*arguments: str, store: str = STORE) -> list[dict[str, Any]]:
    """The edges that a command prints."""
    result = run(*arguments, "--json", store=store)
    if result.returncode != 0:
        sys.exit(f"the demo failed: {result.stderr.strip()}")
    return json.loads(result.stdout)["edges"]


def show_graph() -> None:
    """The relation graph: what is in it, who refers to whom, and what is refused."""
    say("The relation graph: who is who comes from a profile, which lists two competitors too.")
    SETTINGS.update(RAGSPINE_PROFILE=PROFILE, RAGSPINE_ENTITY_SOURCES="profile,titles,terms")
    print(f"  settings from here on: RAGSPINE_PROFILE={PROFILE}")
    print("                         RAGSPINE_ENTITY_SOURCES=profile,titles,terms")
    check(show("relations", "build") == 0, "the graph is built, without a model")
    show("relations", "list", "--limit", "7")

    say("The cross-references of one article, and of one paragraph that others refer to.")
    show("relations", "neighbours", "第12条")
    show("relations", "neighbours", "第4条第2項")
    found = edges("relations", "neighbours", "第4条第2項")
    check(
        {edge["source_label"][:3] for edge in found} == {"第5条", "第12"},
        "第5条 and 第12条 refer to 第4条第2項",
    )
    show("relations", "dangling")

    say("A question, or a read of the graph, that names a competitor is refused.")
    show("search", RIVAL)
    refused = json.loads(answer(RIVAL))
    check(refused["snippets"] == [], "nothing is searched")
    check(refused["refused"]["name"] == "北斗重工業", "the refusal names it as the profile does")

    say("The store that never saw the RESTRICTED file has the same graph, byte for byte.")
    check(run("relations", "build", store=STORE_WITHOUT).returncode == 0, "its graph is built")
    for command in (["relations", "export"], ["relations", "dangling"], ["status", "--json"]):
        check(
            run(*command).stdout == run(*command, store=STORE_WITHOUT).stdout,
            f"equal output of: {' '.join(command)}",
        )


def audit_model() -> None:
    """An edge that a model proposes waits for a person."""
    say(
        "What a language model proposes waits for a person. No model is asked here: answers written"
    )
    print("  by hand (examples/recorded_answers.json) are replayed, from Python.")
    config = ServiceConfig.load(
        store=f"sqlite:///{FOLDER / 'demo.db'}",
        relation_extractor="llm",
        profile=ROOT / PROFILE,
        entity_sources=SETTINGS["RAGSPINE_ENTITY_SOURCES"],
    )
    with KnowledgeBase.open(config=config, create=False) as knowledge:
        report = knowledge.build_relations(provider=RecordedProvider.load(ANSWERS)).model
    check(report is not None and not report.failed, "every text has a recorded answer")
    show("audit", "list")
    (waiting,) = edges("audit", "list", "--state", "unverified")
    check(waiting["id"] not in _ids("relations", "list"), "it is in no list of trusted edges")
    show("audit", "show", waiting["id"])
    show("audit", "rejections")
    show("audit", "verify", waiting["id"], "--reviewer", "Kim", "--note", "as 4.2 says")
    trusted = edges("relations", "list", "--provenance", "model")
    check(
        [(edge["id"], edge["verified"]) for edge in trusted] == [(waiting["id"], "verified")],
        "it is trusted now, and says that a model proposed it",
    )
    show("relations", "list", "--provenance", "model")
    show("audit", "log")


def _ids(*arguments: str) -> set[str]:
    return {edge["id"] for edge in edges(*arguments, "--limit", "1000")}


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    print(f"store: {STORE} (RAGSPINE_STORE)")

    say("Four documents go in; labels.toml in their folder says that one is RESTRICTED.")
    check(show("ingest", "examples/sample", "--chunker", CHUNKER) == 0, "all are ingested")

    say("Questions. A hit is the small unit that is cited; its window is what a model would read.")
    for question in QUESTIONS:
        show("search", question, "-k", "2")

    top = json.loads(answer(QUESTIONS[0]))["snippets"][0]
    check("昼食手当の適用は本採用以降とする" in top["text"], "the first hit is item 3 of 第4条")
    check("毎月25日" in top["prompt_text"], "its window is the whole article")

    say("A context for a model. Asked for one duty, it is that item; asked for all, their article.")
    show("context", ONE_DUTY, "--expand", "merge")
    show("context", ALL_DUTIES, "--expand", "merge")
    (item,), (article,) = blocks(ONE_DUTY), blocks(ALL_DUTIES)
    check(len(item["evidence"]) == 1, "one item stays one item")
    check(
        len(article["evidence"]) > 3 and article["text"].startswith("### 第11条"),
        "its hits were merged into 第11条, which is given once and names each of them",
    )

    say("The RESTRICTED file: its own words find nothing, and its id does not exist.")
    show("search", "Kingfisher")
    shown = show("show", SECRET_ID)
    check(json.loads(answer("Kingfisher"))["snippets"] == [], "its words find nothing")
    check(shown != 0, "its id is not found")
    unknown = run("show", "sample/restricted/no-such-file.md")
    withheld = run("show", SECRET_ID)
    check(
        withheld.stderr.replace(SECRET_ID, "ID")
        == unknown.stderr.replace("sample/restricted/no-such-file.md", "ID"),
        "the message is the one for an id that never existed",
    )

    say("A second store that never saw it answers every question in the same bytes.")
    paths = [f"examples/sample/{name}" for name in VISIBLE]
    done = run("ingest", *paths, "--root", "examples", "--chunker", CHUNKER, store=STORE_WITHOUT)
    check(done.returncode == 0, "the other documents are ingested alone")
    for question in [*QUESTIONS, "Kingfisher", "通勤手当 severance"]:
        check(answer(question) == answer(question, STORE_WITHOUT), f"equal answers to: {question}")
    for question in (ONE_DUTY, ALL_DUTIES):
        check(
            blocks(question) == blocks(question, STORE_WITHOUT), f"equal contexts for: {question}"
        )
    check(
        run("status", "--json").stdout == run("status", "--json", store=STORE_WITHOUT).stdout,
        "equal status for a reader",
    )

    show_graph()
    audit_model()

    say("What a reader may know of the store, and what its operator may know.")
    show("status")
    show("status", "--operator")
    print("\nDone. The store stays in .demo/; try a question of your own:")
    print(f'  {PROGRAM.relative_to(ROOT)} search "年次有給休暇は何日？" --store {STORE}')


if __name__ == "__main__":
    main()
