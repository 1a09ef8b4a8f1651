package io.imexagent.files;

/** One step of {@link DurableFiles} on the file system; each can fail by itself, and a crash can follow each. */
public enum FileStep {
    CREATE_DIRECTORY,
    CREATE_TEMPORARY,
    WRITE,
    /** Flushes the temporary file's content to the disk (fdatasync). */
    FLUSH,
    /** Renames a file, and replaces the file that had the name. */
    RENAME,
    DELETE,
    /** Flushes the names in the directory to the disk (fsync). */
    FLUSH_DIRECTORY
}
