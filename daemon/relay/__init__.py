"""What the bot may do for people: relay their presses and messages, read what to show, and record what was shown."""
