"""The workspace's files: journal, snapshot, lock, and what each attempt leaves behind."""
