from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.store_url import ServerAddress, parse_store_url
from ragspine_graph.errors import ConfigError, GraphError
from ragspine_store.errors import StoreError

SECRET = "correct-horse-battery"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for field in (*ServiceConfig.model_fields, "config"):
        monkeypatch.delenv(f"RAGSPINE_{field.upper()}", raising=False)


def write_config(folder: Path, text: str) -> Path:
    file = folder / "service.toml"
    file.write_text(text, encoding="utf-8")
    return file


def refusal(config_file: Path | None = None, **arguments: object) -> str:
    """The message of a refused configuration, checked to be one line."""
    with pytest.raises(ConfigError) as caught:
        ServiceConfig.load(config_file, **arguments)
    message = str(caught.value)
    assert message.isprintable()
    return message


# --- where settings come from -----------------------------------------------------------------


def test_without_any_setting_the_defaults_stand() -> None:
    config = ServiceConfig.load()
    assert config.model_dump() == {
        "store": "sqlite:///ragspine.db",
        "chunker": "none",
        "restricted_at_rest": "stub",
        "profile": None,
        "gate_questions": True,
        "stub_key": None,
        "max_parents": 4,
        "top_k_children": 30,
        "merge_threshold": 0.5,
        "score_floor": 0.3,
        "embedders": "none",
        "embedding_model": "",
        "embedding_base_url": "",
        "embedding_api_key": None,
        "embedding_passage_prefix": "",
        "embedding_question_prefix": "",
        "embedding_question_timeout_s": 5.0,
        "fusion": "weighted",
        "walk": "none",
        "words": None,
        "linked_articles": 1,
        "reranker": "none",
        "rerank_depth": 50,
        "rerank_url": "",
        "rerank_model": "",
        "rerank_key": None,
        "rerank_timeout_s": 10.0,
        "rerank_deadline_s": 20.0,
        "rerank_attempts": 2,
        "load_timeout_s": 60.0,
        "llm_model": "",
        "llm_timeout_s": 60.0,
        "llm_deadline_s": 180.0,
        "llm_attempts": 4,
        "llm_retry_wait_s": 1.0,
        "llm_concurrency": 4,
        "llm_max_calls": None,
        "llm_max_tokens": None,
        "llm_max_output_tokens": 1024,
        "llm_max_relations": 1000,
        "relation_extractor": "none",
        "entity_sources": "profile",
    }


def test_the_environment_wins_over_the_file_and_arguments_win_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_config(tmp_path, "max_parents = 1\ntop_k_children = 1\nchunker = 'parent_child'\n")
    monkeypatch.setenv("RAGSPINE_MAX_PARENTS", "2")
    monkeypatch.setenv("RAGSPINE_TOP_K_CHILDREN", "2")
    config = ServiceConfig.load(file, max_parents=3)
    assert (config.max_parents, config.top_k_children, config.chunker) == (3, 2, "parent_child")


def test_an_argument_of_none_and_an_empty_variable_count_as_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_config(tmp_path, "max_parents = 1\n")
    monkeypatch.setenv("RAGSPINE_MAX_PARENTS", "")
    monkeypatch.setenv("RAGSPINE_CONFIG", "")
    assert ServiceConfig.load(file, max_parents=None).max_parents == 1
    assert ServiceConfig.load().max_parents == 4


def test_the_file_may_be_named_by_the_environment_and_an_argument_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("RAGSPINE_CONFIG", str(write_config(tmp_path, "max_parents = 7\n")))
    assert ServiceConfig.load().max_parents == 7
    assert ServiceConfig.load(write_config(tmp_path / "other", "")).max_parents == 4


def test_a_relative_profile_is_relative_to_the_file_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etc").mkdir()
    file = write_config(tmp_path / "etc", 'profile = "profile.toml"\n')
    for profile in (tmp_path / "etc" / "profile.toml", tmp_path / "mine.toml"):
        profile.write_text("", encoding="utf-8")
    assert ServiceConfig.load(file).profile == tmp_path / "etc" / "profile.toml"
    monkeypatch.setenv("RAGSPINE_PROFILE", "mine.toml")
    assert ServiceConfig.load(file).profile == Path("mine.toml")


def test_the_variables_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    monkeypatch.setenv("STORE", "neo4j://elsewhere")
    assert ServiceConfig.load().store == "sqlite:///ragspine.db"


def test_a_configuration_does_not_change() -> None:
    config = ServiceConfig.load()
    with pytest.raises(ValidationError):
        config.chunker = "parent_child"


# --- what is refused, and where it stands -----------------------------------------------------

BAD_VALUES = {
    "max_parents": ["0", "-1", "many", "1.5"],
    "top_k_children": ["0"],
    "merge_threshold": ["0", "-0.5", "1.5", "nan", "half"],
    "score_floor": ["-0.1", "1.1", "nan"],
    "linked_articles": ["-1"],
    "reranker": ["on", "cohere"],
    "rerank_depth": ["0", "1001"],
    "rerank_timeout_s": ["0", "601"],
    "rerank_deadline_s": ["0", "3601"],
    "rerank_attempts": ["0", "11"],
    "load_timeout_s": ["0", "-1", "nan", "inf", "long"],
    "chunker": ["parent-chidl"],
    "restricted_at_rest": ["Stub", "hash"],
    "profile": ["missing.toml"],
    "store": ["ragspine.db", "neo4j://localhost/database"],
}
BAD_PAIRS = [(field, value) for field, values in BAD_VALUES.items() for value in values]


@pytest.mark.parametrize(("field", "value"), BAD_PAIRS, ids=[f"{f}={v}" for f, v in BAD_PAIRS])
def test_a_value_that_is_not_allowed_is_refused_naming_its_place(
    field: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_config(tmp_path, f"{field} = '{value}'\n")
    in_file = refusal(file)
    assert in_file.startswith(f"configuration file {str(file)!r}, key {field!r}: ")
    assert value in in_file

    in_argument = refusal(None, **{field: value})
    assert in_argument.startswith(f"argument {field!r}: ")

    variable = f"RAGSPINE_{field.upper()}"
    monkeypatch.setenv(variable, value)
    assert refusal().startswith(f"environment variable {variable!r}: ")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("max_parents = 0", "0 given; expected greater than or equal to 1"),
        ("max_parents = 1.5", "1.5 given; expected a whole number"),
        ("max_parents = 'x'", "'x' given; expected a whole number"),
        ("merge_threshold = 0", "0 given; expected greater than 0"),
        ("merge_threshold = 1.5", "1.5 given; expected less than or equal to 1"),
        ("restricted_at_rest = 'x'", "'x' given; expected 'stub' or 'text'"),
        ("chunker = 1", "1 given; expected a string"),
        ("profile = [1]", "[1] given; expected a path"),
    ],
)
def test_a_message_says_what_was_given_and_what_was_expected(
    line: str, expected: str, tmp_path: Path
) -> None:
    assert refusal(write_config(tmp_path, line)).endswith(f": {expected}")


def test_a_fault_in_a_layer_that_is_overridden_does_not_matter(tmp_path: Path) -> None:
    file = write_config(tmp_path, "max_parents = 0\n")
    assert ServiceConfig.load(file, max_parents=2).max_parents == 2


def test_a_blank_chunker_does_not_fall_back_to_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAGSPINE_CHUNKER", "parent_child")
    assert refusal(chunker=" ").startswith("argument 'chunker': a blank chunker given")


def test_an_unknown_key_of_the_file_is_refused_without_its_value(tmp_path: Path) -> None:
    file = write_config(tmp_path, f'stub_keey = "{SECRET}"\n')
    message = refusal(file)
    assert message.startswith(f"configuration file {str(file)!r}, key 'stub_keey': unknown")
    assert "stub_key," in message
    assert SECRET not in message


def test_an_unknown_variable_of_our_prefix_is_refused_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RAGSPINE_CHUNKR", SECRET)
    message = refusal()
    assert message.startswith("environment variable 'RAGSPINE_CHUNKR': unknown")
    assert "RAGSPINE_CHUNKER" in message
    assert SECRET not in message


def test_an_unknown_argument_is_refused() -> None:
    assert refusal(chunkr="none").startswith("argument 'chunkr': unknown")
    assert refusal(_env_file="x").startswith("argument '_env_file': unknown")


def test_a_named_file_that_is_missing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "missing.toml"
    assert refusal(missing) == f"configuration file {str(missing)!r}: no such file"
    monkeypatch.setenv("RAGSPINE_CONFIG", str(missing))
    assert str(missing) in refusal()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"chunker = ", "not valid TOML"),
        (b"a = 1\na = 2\n", "not valid TOML"),
        ("chunker = 'なし'".encode("cp932"), "not UTF-8"),
        (b"x = " + b"[" * 100_000, "nested too deeply"),
        (b"x = " + b"9" * 5_000, "not valid TOML"),
    ],
    ids=["no value", "twice", "other encoding", "deep", "huge number"],
)
def test_a_malformed_file_is_refused_and_named(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "service.toml"
    file.write_bytes(content)
    message = refusal(file)
    assert message.startswith(f"configuration file {str(file)!r}: {problem}")
    assert len(message) < 400


# --- secrets ----------------------------------------------------------------------------------


def test_the_stub_key_is_read_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_STUB_KEY", SECRET)
    config = ServiceConfig.load()
    assert config.stub_key is not None
    assert config.stub_key.get_secret_value() == SECRET
    assert SECRET not in repr(config) + str(config.model_dump()) + config.model_dump_json()


@pytest.mark.parametrize("value", [f'["{SECRET}"]', f'{{ key = "{SECRET}" }}', "4711", '""'])
def test_a_stub_key_that_is_refused_is_not_shown_either(value: str, tmp_path: Path) -> None:
    message = refusal(write_config(tmp_path, f"stub_key = {value}\n"))
    assert "key 'stub_key'" in message
    assert SECRET not in message
    assert "4711" not in message


def test_a_refused_value_is_not_shown_by_what_caused_the_error(tmp_path: Path) -> None:
    file = write_config(tmp_path, f'stub_key = ["{SECRET}"]\n')
    with pytest.raises(ConfigError) as caught:
        ServiceConfig.load(file)
    assert caught.value.__suppress_context__
    assert SECRET not in str(caught.value.__context__)


# --- store URLs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:///ragspine.db", "ragspine.db"),
        ("sqlite:///data/規程.db", "data/規程.db"),
        ("sqlite:////srv/data/ragspine.db", "/srv/data/ragspine.db"),
        ("SQLite:///a b%20c.db", "a b%20c.db"),
        ("sqlite:///me@home.db", "me@home.db"),
    ],
    ids=["relative", "folder", "absolute", "nothing is decoded", "at sign in a name"],
)
def test_a_store_url_names_a_file(url: str, file: str) -> None:
    assert parse_store_url(url) == Path(file)
    assert ServiceConfig.load(store=url).store == url


@given(st.text(st.characters(codec="utf-8", exclude_characters="?\0"), min_size=1))
def test_every_other_file_name_comes_back_as_it_was_written(name: str) -> None:
    if name.endswith("/") or name == ":memory:":
        with pytest.raises(ConfigError, match="names no file"):
            parse_store_url(f"sqlite:///{name}")
    else:
        assert parse_store_url(f"sqlite:///{name}") == Path(name)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "not a URL"),
        ("ragspine.db", "not a URL"),
        ("/srv/ragspine.db", "not a URL"),
        ("sqlite:", "not a URL"),
        ("sqlite:///", "names no file"),
        ("sqlite:////", "names no file"),
        ("sqlite://ragspine.db", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///a.db?mode=ro", "no options"),
        ("sqlite:///a\0.db", "NUL"),
        ("postgresql://localhost/x", "unknown kind"),
        ("neo4j+x://localhost", "unknown kind"),
        ("neo4j://", "more or less than a host and a port"),
        ("neo4j://:7687", "more or less"),
        ("neo4j:///database", "more or less"),
        ("neo4j://localhost/database", "more or less"),
        ("neo4j://localhost:7687?policy=eu", "more or less"),
        ("neo4j://localhost:0", "more or less"),
        ("neo4j://localhost:65536", "more or less"),
        ("neo4j://localhost:bolt", "more or less"),
        ("neo4j://local host", "more or less"),
        ("neo4j://local\u202ehost", "more or less"),
        ("neo4j://[::1", "more or less"),
        ("bolt://a,b", "more or less"),
    ],
    ids=ascii,
)
def test_what_is_no_store_url_is_refused_with_an_example(url: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        parse_store_url(url)
    assert "expected sqlite:///file.db" in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        ("neo4j://localhost", "neo4j://localhost"),
        ("neo4j+s://xxxx.databases.neo4j.io", "neo4j+s://xxxx.databases.neo4j.io"),
        ("neo4j+ssc://10.0.0.1:7687", "neo4j+ssc://10.0.0.1:7687"),
        ("BOLT://graph:7687/", "bolt://graph:7687"),
        ("bolt+s://[::1]:65535", "bolt+s://[::1]:65535"),
        ("bolt+ssc://localhost:1", "bolt+ssc://localhost:1"),
    ],
    ids=lambda value: value.partition("://")[0],
)
def test_a_store_url_names_a_server(url: str, uri: str) -> None:
    assert parse_store_url(url) == ServerAddress(uri)
    assert ServiceConfig.load(store=url).store == url


@pytest.mark.parametrize(
    "url",
    [f"neo4j://neo4j:{SECRET}@localhost:7687", f"bolt+s://{SECRET}@localhost", "bolt://@localhost"],
    ids=["name and password", "name", "nothing before the sign"],
)
def test_credentials_in_the_url_of_a_server_are_refused_with_where_they_belong(url: str) -> None:
    message = refusal(store=url)
    assert "holds credentials" in message
    assert "NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE" in message
    assert SECRET not in message


@pytest.mark.parametrize(
    "url",
    [
        f"neo4j://neo4j:{SECRET}@localhost:7687",
        f"bolt+s://neo4j:a/{SECRET}@localhost",
        f"neo4j://neo4j:x?{SECRET}@localhost",
        f"neo4j://localhost/?user=a@b&password={SECRET}",
        f"postgresql://u:{SECRET}@localhost/x",
        f"neo4j:{SECRET}@localhost",
        f"u:{SECRET}@h://x",
        f"sqlite:///a.db?key={SECRET}",
    ],
)
def test_credentials_of_a_refused_url_are_never_shown(url: str) -> None:
    message = refusal(store=url)
    assert SECRET not in message
    assert "expected sqlite:///file.db" in message


def test_the_errors_of_the_two_packages_have_bases_of_their_own() -> None:
    assert issubclass(ConfigError, GraphError)
    assert not issubclass(GraphError, StoreError)
    assert not issubclass(StoreError, GraphError)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rerank_url", f"http://user:{SECRET}@localhost/rerank"),
        ("rerank_url", f"https://example.com/rerank?key={SECRET}"),
        ("rerank_url", f"ftp://{SECRET}/"),
        ("rerank_key", f"{SECRET} and more"),
    ],
    ids=["user", "query", "scheme", "key"],
)
def test_an_endpoint_or_its_key_that_is_refused_is_not_shown(field: str, value: str) -> None:
    message = refusal(None, **{field: value})
    assert message.startswith(f"argument {field!r}: expected")
    assert SECRET not in message


def test_the_key_of_an_endpoint_is_never_shown() -> None:
    config = ServiceConfig.load(rerank_key=SECRET, rerank_url="http://localhost:8080/rerank")
    assert SECRET not in f"{config!r} {config} {config.model_dump_json()}"
