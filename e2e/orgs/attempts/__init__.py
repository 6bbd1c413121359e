"""What a live session of one organisation tries against another, by topic. Each module gives a list of attempts."""
