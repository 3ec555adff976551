"""Click commands: parse, call the library, render; no logic."""
