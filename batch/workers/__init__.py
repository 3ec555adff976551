"""Worker processes and clusters with hard limits for every instance."""
