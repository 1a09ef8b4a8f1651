package io.imexagent.log;

/** How much is logged: what is broken, what needs a look as well, what happened, and why. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
}
