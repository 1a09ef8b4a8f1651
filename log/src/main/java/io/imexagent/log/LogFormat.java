package io.imexagent.log;

/** How log entries are written: as text, as JSON objects, or with fields of the journal. */
public enum LogFormat {
    TEXT,
    JSON,
    JOURNAL
}
