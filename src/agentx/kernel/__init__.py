"""The words of the house: values and rules that need nothing but the standard library."""
