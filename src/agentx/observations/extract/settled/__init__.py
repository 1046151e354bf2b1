"""What was settled: answers, choices, rulings and plans of people, and what agents chose."""
