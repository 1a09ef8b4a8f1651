package io.imexagent.core.check;

/** What must hold for the agent to be alive, or ready: a name of lower-case words and hyphens, a line of detail. */
public record Condition(String name, boolean holds, String detail) {}
