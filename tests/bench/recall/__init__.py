"""How well the product finds what it should: public question sets, scored through its own code."""
