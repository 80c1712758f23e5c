// Functions without a body need such a file.
