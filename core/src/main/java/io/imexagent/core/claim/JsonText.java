package io.imexagent.core.claim;

/**
 * A JSON value as its author wrote it: compact, with the author's key order, number forms and escapes.
 *
 * <p>Opaque parameters are kept so, because the checkpoint that this agent shares with the public driver repeats them
 * byte for byte.
 *
 * @param text one JSON value without white space between its tokens
 */
public record JsonText(String text) {

    @Override
    public String toString() {
        return text;
    }
}
