package io.imexagent.kubernetes.access;

/**
 * PEM text and where it came from. Its text form shows only the latter, for it may hold a key.
 *
 * @param where where it came from, for messages
 * @param text the text; every form that is read is ASCII
 */
record PemText(String where, String text) {

    @Override
    public String toString() {
        return where;
    }
}
