package io.imexagent.log;

/** The level of logging: failures, then also warnings, then also events, then also their details. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
}
