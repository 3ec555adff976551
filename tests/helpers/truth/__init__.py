"""Ground truth by enumeration."""
