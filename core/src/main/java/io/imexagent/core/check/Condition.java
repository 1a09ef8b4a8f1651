package io.imexagent.core.check;

/**
 * One thing that must hold for the agent to be alive, or ready.
 *
 * @param name the condition, in lower-case words joined by hyphens
 * @param holds whether it holds
 * @param detail how it stands, in one line
 */
public record Condition(String name, boolean holds, String detail) {}
