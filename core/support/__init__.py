"""Small tools without a subject of their own."""
