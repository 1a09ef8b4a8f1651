package io.imexagent.agent.provision;

import java.util.Set;

/** Whether a unit starts at boot, as {@code systemctl is-enabled} tells. */
enum UnitState {
    /** It does, or something else starts it. */
    ENABLED,
    /** It does not, and can be made to. */
    DISABLED,
    /** An operator has masked it: it must not start. */
    MASKED,
    /** There is no such unit. */
    ABSENT,
    /** systemctl did not tell. */
    UNKNOWN;

    private static final Set<String> WORDS_OF_ENABLED =
            Set.of("enabled", "enabled-runtime", "static", "alias", "generated", "indirect", "transient");
    private static final Set<String> WORDS_OF_DISABLED = Set.of("disabled", "linked", "linked-runtime");
    private static final String NO_SUCH_UNIT = "No such file or directory";

    /** The state in the output, of which one word is the answer; before systemd 253 an absent unit is an error text. */
    static UnitState of(String output) {
        String word = output.strip();
        if (WORDS_OF_ENABLED.contains(word)) {
            return ENABLED;
        }
        if (WORDS_OF_DISABLED.contains(word)) {
            return DISABLED;
        }
        if (word.equals("masked") || word.equals("masked-runtime")) {
            return MASKED;
        }
        return word.equals("not-found") || word.contains(NO_SUCH_UNIT) ? ABSENT : UNKNOWN;
    }
}
