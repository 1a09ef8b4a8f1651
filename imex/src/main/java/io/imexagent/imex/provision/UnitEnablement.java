package io.imexagent.imex.provision;

import java.util.Set;

/** Whether a unit starts at boot, as {@code systemctl is-enabled} tells. */
enum UnitEnablement {
    /** It does, or something else starts it. */
    ENABLED,
    /** It does not, or until the next boot only, and can be made to. */
    DISABLED,
    /** An operator has masked it: it must not start. */
    MASKED,
    /** There is no such unit. */
    ABSENT,
    /** systemctl did not tell. */
    UNKNOWN;

    private static final Set<String> WORDS_OF_ENABLED =
            Set.of("enabled", "static", "alias", "generated", "indirect", "transient");
    private static final Set<String> WORDS_OF_DISABLED =
            Set.of("disabled", "enabled-runtime", "linked", "linked-runtime");
    private static final String NO_SUCH_UNIT = "No such file or directory";

    /**
     * The state in the answer, which is one word. Warnings beside it do not matter; but before systemd 253 an absent unit
     * has no answer and a complaint.
     */
    static UnitEnablement of(String answer, String complaint) {
        String word = answer.strip();
        if (WORDS_OF_ENABLED.contains(word)) {
            return ENABLED;
        }
        if (WORDS_OF_DISABLED.contains(word)) {
            return DISABLED;
        }
        if (word.equals("masked") || word.equals("masked-runtime")) {
            return MASKED;
        }
        boolean absent = word.equals("not-found") || (word.isEmpty() && complaint.contains(NO_SUCH_UNIT));
        return absent ? ABSENT : UNKNOWN;
    }
}
