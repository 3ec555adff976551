"""Methods that approximate attention matrices, one a file, and what they share."""
