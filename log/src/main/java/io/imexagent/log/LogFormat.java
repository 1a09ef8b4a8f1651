package io.imexagent.log;

/** The format of log entries: text, JSON objects, or entries of the journal with fields. */
public enum LogFormat {
    TEXT,
    JSON,
    JOURNAL
}
