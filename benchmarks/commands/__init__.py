"""The commands for many instances and their reports, and first runs of all commands."""
