"""Goal: the page that shows summaries with and without a model shows what the product says.

Method: what writes the page writes it again, and nothing may differ.
"""

from __future__ import annotations

from scripts import summaries_page

from tests.support.house import House


def test_the_page_of_summaries_is_what_the_product_says_today(own_sample_house: House) -> None:
    made = summaries_page.make_page(own_sample_house)

    said = "run `python -m scripts.summaries_page`"
    assert made.splitlines() == summaries_page.PAGE.read_text("utf-8").splitlines(), said
