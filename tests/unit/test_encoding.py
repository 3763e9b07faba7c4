"""Which encoding a file is in, and whether it is text at all."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import LoadError
from ragspine_store.loading.encoding import decode

RULES = "第1条　目的\n会社は、通勤手当を支給する。パスワードは①と②による。\n"
PLAIN = "第1条　目的\n会社は、通勤手当を支給する。パスワードは別に定める。\n"
CHINESE = "第一条　为了规范公司的管理，保护员工的合法权益，制定本规定。\n"
TRADITIONAL = "第一條　為了規範公司的管理，保護員工的合法權益，制定本規定。\n"
KOREAN = "제1조 (목적) 이 규칙은 회사의 근로조건에 관한 사항을 정한다.\n"
RUSSIAN = "Статья 1. Настоящие правила определяют порядок работы.\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        pytest.param(RULES.encode(), RULES, id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + RULES.encode(), RULES, id="utf-8 with a mark"),
        pytest.param(RULES.encode("utf-16"), RULES, id="utf-16 little endian"),
        pytest.param(
            codecs.BOM_UTF16_BE + RULES.encode("utf-16-be"), RULES, id="utf-16 big endian"
        ),
        pytest.param(RULES.encode("cp932"), RULES, id="cp932"),
        pytest.param(PLAIN.encode("euc_jp"), PLAIN, id="euc-jp"),
        pytest.param(RULES.encode("euc_jis_2004"), RULES, id="euc-jp with circled digits"),
        pytest.param(PLAIN.encode("iso2022_jp"), PLAIN, id="iso-2022-jp"),
        pytest.param("テスト".encode("euc_jp"), "テスト", id="three katakana in euc-jp"),
        pytest.param("手当".encode("cp932"), "手当", id="two kanji in cp932"),
        pytest.param("労働の".encode("euc_jp"), "労働の", id="two kanji and a kana in euc-jp"),
        pytest.param(
            "ﾃﾞｰﾀﾍﾞｰｽﾆﾎｿﾞﾝｼﾏｽ｡\n".encode("cp932"),
            "ﾃﾞｰﾀﾍﾞｰｽﾆﾎｿﾞﾝｼﾏｽ｡\n",
            id="half-width katakana alone in cp932",
        ),
        pytest.param(
            "ﾊﾟｽﾜｰﾄﾞは12桁、USBﾒﾓﾘは禁止".encode("cp932"),
            "ﾊﾟｽﾜｰﾄﾞは12桁、USBﾒﾓﾘは禁止",
            id="half-width katakana among others in cp932",
        ),
        pytest.param("か\u3099".encode(), "か\u3099", id="decomposed stays as written"),
        pytest.param(b"a\r\nb\rc", "a\r\nb\rc", id="line ends stay as written"),
        pytest.param(b"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m", id="escape sequences are data"),
        pytest.param(b"\x1b$Bodd", "\x1b$Bodd", id="a broken escape sequence is data"),
        pytest.param(b"end of file\x1a", "end of file\x1a", id="a stray control character"),
    ],
)
def test_decodes_what_can_be_known(data: bytes, text: str) -> None:
    assert decode(data, name="rules.md") == text


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(b"", "holds no text", id="empty"),
        pytest.param(codecs.BOM_UTF8, "holds no text", id="only a mark"),
        pytest.param(" \n\t\u3000\r\n".encode(), "holds no text", id="blank"),
        pytest.param(b"text\0text", "looks binary", id="nul"),
        pytest.param("text".encode("utf-16-le"), "looks binary", id="utf-16 without a mark"),
        pytest.param("te\0xt".encode("utf-16"), "looks binary", id="nul in utf-16"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(range(1, 256)), "cannot be decoded", id="png"),
        pytest.param(b"\x01\x02\x03\x04\x05\x06 text", "looks binary", id="control characters"),
        pytest.param(codecs.BOM_UTF8 + b"\xff", "cannot be decoded", id="broken utf-8"),
        pytest.param(codecs.BOM_UTF16_LE + b"a", "cannot be decoded", id="broken utf-16"),
        pytest.param("Café à la carte".encode("latin-1"), "cannot be decoded", id="latin-1"),
        pytest.param("Ünïcödé ßtrïng".encode("latin-1"), "cannot be decoded", id="much latin-1"),
        pytest.param("Ärger, Öl, ÜBER, ß".encode("latin-1"), "cannot be decoded", id="umlauts"),
        pytest.param(CHINESE.encode("gbk"), "cannot be decoded", id="gbk"),
        pytest.param("会议".encode("gbk"), "cannot be decoded", id="two characters of gbk"),
        pytest.param(TRADITIONAL.encode("big5"), "cannot be decoded", id="big5"),
        pytest.param(KOREAN.encode("euc_kr"), "cannot be decoded", id="euc-kr"),
        pytest.param("안녕하세요".encode("euc_kr"), "cannot be decoded", id="a word of euc-kr"),
        pytest.param(RUSSIAN.encode("koi8_r"), "cannot be decoded", id="koi8-r"),
        pytest.param(RUSSIAN.encode("cp1251"), "cannot be decoded", id="windows-1251"),
        pytest.param("就業規則".encode("euc_jp"), "cannot be decoded", id="euc-jp without kana"),
    ],
)
def test_refuses_what_is_no_text_and_names_the_file(data: bytes, problem: str) -> None:
    with pytest.raises(LoadError, match=problem) as caught:
        decode(data, name="rules.md")
    assert "rules.md" in str(caught.value)
    assert "UTF-8" in str(caught.value) or problem == "holds no text"


def test_an_error_shows_no_content() -> None:
    with pytest.raises(LoadError) as caught:
        decode(b"secret\0secret", name="rules.md")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


@given(st.binary())
def test_any_bytes_are_text_or_a_load_error(data: bytes) -> None:
    try:
        text = decode(data, name="any")
    except LoadError:
        return
    assert text.strip()
    assert "\0" not in text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    if text.strip("\ufeff").strip():
        assert decode(text.encode(), name="any") == text.removeprefix("\ufeff")


HIRAGANA = st.characters(min_codepoint=0x3042, max_codepoint=0x3093)


@pytest.mark.parametrize("encoding", ["cp932", "euc_jp"])
@given(text=st.text(HIRAGANA, min_size=4).filter(lambda text: "\u3095" not in text))
def test_hiragana_is_told_apart_in_both_unmarked_encodings(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), name="any") == text
