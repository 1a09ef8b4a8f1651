package io.imexagent.files;

/** One thing that {@link DurableFiles} does to the file system; each can fail by itself, and a crash can follow each. */
public enum FileStep {
    CREATE_DIRECTORY,
    CREATE_TEMPORARY,
    WRITE,
    /** The temporary's content goes to the disk (fdatasync). */
    FLUSH,
    /** A file takes its name, in place of the file that had it. */
    RENAME,
    DELETE,
    /** The names in the directory go to the disk (fsync). */
    FLUSH_DIRECTORY
}
