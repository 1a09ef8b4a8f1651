package io.imexagent.core.claim;

/**
 * One JSON value as its author wrote it, without white space between its tokens. Key order, number forms and escapes
 * are the author's, since the checkpoint that this agent shares with the public driver repeats them byte for byte.
 */
public record JsonText(String text) {}
