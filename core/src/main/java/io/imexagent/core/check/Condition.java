package io.imexagent.core.check;

/**
 * One thing that must hold for the agent to be alive, or ready; its name is in lower-case words joined by hyphens, the
 * detail one line.
 */
public record Condition(String name, boolean holds, String detail) {}
