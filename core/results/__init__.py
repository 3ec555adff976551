"""Results of all questions: their bounds, words, pictures and documents."""
