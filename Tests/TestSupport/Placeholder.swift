// Filled by its first helpers.
