"""Numbers of payment cards: digits that pass the check of Luhn, and look like a card's.

Sixteen digits in a row are an id more often than a card. So they count where they are grouped
as on a card, or where a word beside them says what they are.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_DRAWN = bytes.maketrans(b"123456789", b"000000000")
_GROUPS = (b"0000 0000 0000 0", b"0000-0000-0000-0", b"0000 000000 0000", b"0000-000000-0000")
_DIGITS_MIN = 13
_DIGITS = b"0" * _DIGITS_MIN
_NO_DIGITS = bytes((*range(48), *range(58, 256)))
_WORDS = (
    *(b"card", b"visa", b"amex", b"karte", b"carte", b"tarjeta", b"maestro", b"cartao", b"carta"),
    *(
        b"cart\xc3\xa3o",
        b"kort",
        b"kaart",
        b"\xe5\x8d\xa1",
        b"\xe3\x82\xab\xe3\x83\xbc\xe3\x83\x89",
    ),
)
_BESIDE_CHARS = 40
_NEAR = (
    r"(?<![a-z])(?:(?:credit|debit|bank|kredit|payment|cc)[ _-]?)?"
    r"(?:cards?|visa|amex|maestro|mastercard"
    r"|\w{0,8}karte|carte|tarjeta|cart(?:ao|\u00e3o|a)|\w{0,8}kort|\w{0,8}kaart)"
    r"(?:[ _-]?(?:no|num|number|nr|numero|pan))?(?![a-z])|\u5361|\u30ab\u30fc\u30c9"
)
_NUMBER = (
    r"(?<![\w.-])(?:(?P<g>[2-6]\d{3}(?P<b>[ -])\d{4}(?P=b)\d{4}(?P=b)\d{1,7}"
    r"|3[47]\d\d(?P<c>[ -])\d{6}(?P=c)\d{5}|3[068]\d\d(?P<d>[ -])\d{6}(?P=d)\d{4})|[2-6]\d{12,18})"
    r"(?![\w]|[.-]\d)"
)


def may_hold_card(data: bytes) -> bool:
    """Tell whether the text has digits as on a card, or a word for a card and enough digits."""
    if len(data.translate(None, _NO_DIGITS)) < _DIGITS_MIN:
        return False
    drawn = data.translate(_DRAWN)
    if any(group in drawn for group in _GROUPS):
        return True
    if _DIGITS not in drawn:
        return False
    lowered = data.lower()
    return any(word in lowered for word in _WORDS)


def without_cards(text: str) -> str:
    """Return the text without the numbers of cards."""
    import re  # noqa: PLC0415  the hook loads this module, and has no time for patterns

    near = re.compile(_NEAR, re.IGNORECASE)

    def mark(match: "re.Match[str]") -> str:
        start, end = match.span()
        digits = match[0].replace(" ", "").replace("-", "")
        beside = (
            match["g"] is not None
            or near.search(text, max(0, start - _BESIDE_CHARS), start)
            or near.search(text, end, end + _BESIDE_CHARS // 2)
        )
        return "[REDACTED:card-number]" if beside and is_card(digits) else match[0]

    return re.sub(_NUMBER, mark, text, flags=re.ASCII)


def is_card(digits: str) -> bool:
    """Tell whether digits are as many as a card has, of an issuer, with the right check digit."""
    if not (digits.isdigit() and digits.isascii() and 13 <= len(digits) <= 19):
        return False
    if len(set(digits)) < 2 or digits[0] not in "23456":
        return False
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    checked = sum(map(int, digits[-1::-2])) + sum(twice - 9 * (twice > 9) for twice in doubled)
    return checked % 10 == 0
