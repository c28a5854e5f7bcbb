"""The words that command line, page and cards share, in English and Chinese."""
