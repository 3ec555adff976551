"""Result files: one row an instance, kept at once, exported on request."""
