"""Commands that work on a home itself: begin it, run its processes, look into it. No daemon answers them."""
