"""Legal forms that stand before or after a company's name."""

from __future__ import annotations

import re

# As names.fold_name leaves them: folded, without dots, old characters in their new form. Forms that
# are also words (Latin ones before a name, say) are left out where they would eat part of a name.
_CJK = (
    "株式会社 有限会社 合同会社 合資会社 合名会社 相互会社 特例有限会社 特定目的会社 "
    "有限責任事業組合 一般社団法人 公益社団法人 特例社団法人 社団法人 一般財団法人 公益財団法人 "
    "特例財団法人 財団法人 医療法人社団 医療法人財団 医療法人 社会福祉法人 学校法人 宗教法人 "
    "特定非営利活動法人 npo法人 独立行政法人 国立大学法人 公立大学法人 国立研究開発法人 "
    "地方独立行政法人 監査法人 税理士法人 弁護士法人 "
    "(株) (有) (同) (資) (名) (相) (社) (財) (医) (福) (学) (宗) (特非) (独) "
    "股份有限公司 有限責任公司 有限公司 주식회사 유한회사 (주) (유)"
)
_AFTER = (
    "inc incorporated corp corporation co company cos ltd limited llc llp lllp lp plc pllc pc "
    "gmbh ag kg kgaa ohg mbh ug eg ev se sa sas sasu sarl eurl snc srl "
    "spa sapa sl slu sc sca cv bv nv vof ab hb oy oyj as asa a/s aps i/s p/s k/s sro zrt kft nyrt "
    "bt doo dd ead ood jsc pjsc oao ooo zao pao pte pty pvt bhd sdn tbk kk gk yk lda ltda cia eirl "
    "sicav de~cv s~a s~l s~p~a s~r~l b~v n~v l~l~c k~k"
)
_BEFORE = "ltd llc inc gmbh plc pt ooo oao zao pao kk"


def _any_of(forms: str) -> str:
    ordered = sorted(forms.split(" "), key=len, reverse=True)
    return "|".join(re.escape(form.replace("~", " ")) for form in ordered)


_LONGEST = 40  # of a form with the marks around it; keeps the search linear
_AROUND = ' ,、。;:"“”„«»‹›「」『』〈〉《》【】'
_AROUND_CLASS = re.escape(_AROUND)
_MARKS = f"[{_AROUND_CLASS}]"
_END = re.compile(
    rf"(?:[&{_AROUND_CLASS}]+|(?<=[\u3005-\u9fff]))(?:{_any_of(_AFTER)}){_MARKS}*$"
    rf"|{_MARKS}*(?:{_any_of(_CJK)}){_MARKS}*$"
)
_START = re.compile(
    rf"^{_MARKS}*(?:{_any_of(_CJK)}){_MARKS}*|^{_MARKS}*(?:{_any_of(_BEFORE)}){_MARKS}+"
)


def span_of_name(folded: str) -> tuple[int, int]:
    """Where the name proper stands in a folded text, half-open: no quotes, no legal forms.

    A name that is nothing but legal forms keeps one of them.

    >>> name = "株式会社「acme」 co, ltd"
    >>> start, end = span_of_name(name)
    >>> name[start:end]
    'acme'
    """
    start = len(folded) - len(folded.lstrip(_AROUND))
    end = max(start, len(folded.rstrip(_AROUND)))
    while True:
        last = folded[max(start, end - _LONGEST) : end]
        first = folded[start : min(end, start + _LONGEST)]
        if (after := _END.search(last)) and after.start():
            end -= len(last) - after.start()
        elif (before := _START.search(first)) and before.end() < end - start:
            start += before.end()
        else:
            return start, end
