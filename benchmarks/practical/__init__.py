"""The meaning of a dimension in practice: similarities, margins, number formats, wrong rows."""
