"""Numbers as Word writes them."""

from __future__ import annotations

import pytest

from ragspine_store.loading.docx.number_formats import format_number


@pytest.mark.parametrize(
    ("number_format", "numbers", "written"),
    [
        ("decimal", (1, 12), "1 12"),
        ("decimalZero", (1, 12), "01 12"),
        ("upperRoman", (4, 1999, 4000), "IV MCMXCIX 4000"),
        ("lowerRoman", (9, 0), "ix 0"),
        ("upperLetter", (1, 26, 27, 53), "A Z AA AAA"),
        ("lowerLetter", (2, 28, 26 * 99), f"b bb {26 * 99}"),
        ("japaneseCounting", (1, 10, 11, 20, 110, 1000), "一 十 十一 二十 百十 千"),
        ("taiwaneseCountingThousand", (1, 10, 12, 20, 21), "一 十 十二 二十 二十一"),
        ("chineseCountingThousand", (100, 101, 110, 1001), "一百 一百零一 一百一十 一千零一"),
        ("chineseCounting", (0, 19, 99, 10_000), "零 十九 九十九 10000"),
        ("ideographLegalTraditional", (10, 21, 1010), "壹拾 貳拾壹 壹仟零壹拾"),
        ("chineseLegalSimplified", (2, 11), "贰 壹拾壹"),
        ("taiwaneseDigital", (10, 25), "一○ 二五"),
        ("koreanCounting", (1, 10, 12, 234), "일 십 십이 이백삼십사"),
        ("koreanDigital", (10, 12), "일영 일이"),
        ("koreanLegal", (1, 20, 99, 100), "하나 스물 아흔아홉 백"),
        ("hex", (10, 31), "A 1F"),
        ("cardinalText", (1, 20, 21, 110), "One Twenty Twenty-one One hundred ten"),
        ("cardinalText", (0, 1000), "0 1000"),
        ("ordinalText", (1, 5, 12, 20, 21), "First Fifth Twelfth Twentieth Twenty-first"),
        ("ordinalText", (100, 1001), "One hundredth 1001st"),
        ("japaneseLegal", (1, 12), "壱 壱拾弐"),
        ("japaneseDigitalTenThousand", (10, 25), "一〇 二五"),
        ("decimalFullWidth", (1, 25), "１ ２５"),
        ("decimalEnclosedCircle", (1, 20, 21), "① ⑳ 21"),
        ("decimalEnclosedParen", (2,), "⑵"),
        ("ideographEnclosedCircle", (1, 11), "㊀ 11"),
        ("aiueo", (1, 46), "ｱ ﾝ"),
        ("aiueoFullWidth", (1, 6, 46, 47), "ア カ ン アア"),
        ("iroha", (1, 2), "ｲ ﾛ"),
        ("irohaFullWidth", (1, 2, 3), "イ ロ ハ"),
        ("ideographTraditional", (1, 10, 11), "甲 癸 甲"),
        ("ordinal", (1, 2, 3, 11, 22), "1st 2nd 3rd 11th 22nd"),
        ("numberInDash", (3,), "- 3 -"),
        ("none", (3,), ""),
        ("bahtText", (3,), "3"),
    ],
)
def test_a_number_is_written_as_word_writes_it(
    number_format: str, numbers: tuple[int, ...], written: str
) -> None:
    assert " ".join(format_number(number, number_format) for number in numbers) == written
