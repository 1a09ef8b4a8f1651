package io.imexagent.files;

/** One thing that {@link DurableFiles} does to the file system; each can fail by itself, and a crash can follow each. */
public enum FileStep {
    /** A missing directory is made. */
    CREATE_DIRECTORY,
    /** The temporary sibling of the target is made. */
    CREATE_TEMPORARY,
    /** The content goes into the temporary. */
    WRITE,
    /** The temporary's content goes to the disk (fdatasync). */
    FLUSH,
    /** The present file gets a second name, by which it is kept. */
    LINK,
    /** A file takes its name, in place of the file that had it. */
    RENAME,
    /** A file is deleted. */
    DELETE,
    /** The names in the directory go to the disk (fsync). */
    FLUSH_DIRECTORY
}
