package io.imexagent.imex.health;

import java.util.Arrays;
import java.util.Optional;

/**
 * Whether a boot starts the unit of nvidia-imex, and what would make it: systemd's own states of a unit file
 * (systemctl(1), {@code is-enabled}), versions 252 to 258. Each says what it means, a clause, and how it is started now
 * and at the boots to come.
 */
public enum UnitFileState {
    ENABLED(
            "enabled",
            "the service is enabled, and it was stopped or never started since its installation",
            UnitFileTexts.START),
    ENABLED_RUNTIME("enabled-runtime", "the service is enabled until the next boot only", UnitFileTexts.ENABLE),
    DISABLED("disabled", "the service is not enabled", UnitFileTexts.ENABLE),
    LINKED("linked", "the service's file is linked, and the service is not enabled", UnitFileTexts.ENABLE),
    LINKED_RUNTIME(
            "linked-runtime",
            "the service's file is linked until the next boot only, and the service is not enabled",
            UnitFileTexts.ENABLE),
    STATIC(
            "static",
            "the service cannot be enabled, since its file has no [Install] section: another unit has to start it",
            UnitFileTexts.ADD_WANTS),
    INDIRECT(
            "indirect",
            "the service is not enabled itself, only units that its file names in Also=, or another name of it, can be",
            UnitFileTexts.ADD_WANTS),
    ALIAS(
            "alias",
            "nvidia-imex.service is another name of a unit, which has to be enabled by its own name",
            UnitFileTexts.START
                    + "; for the boots to come: systemctl enable the unit that 'systemctl show --property=Id"
                    + " nvidia-imex' names"),
    GENERATED(
            "generated",
            "the service cannot be enabled, since a generator makes its file and decides whether a boot starts it",
            UnitFileTexts.START + "; 'systemctl cat nvidia-imex' says what the file is generated from"),
    TRANSIENT(
            "transient",
            "the service cannot be enabled, since it was made while the host ran and is gone with the next boot",
            "install the package nvidia-imex, which has a unit of its own, then " + UnitFileTexts.ENABLE),
    MASKED("masked", "the service is masked", "systemctl unmask nvidia-imex, then " + UnitFileTexts.START),
    MASKED_RUNTIME(
            "masked-runtime",
            "the service is masked until the next boot",
            "systemctl unmask --runtime nvidia-imex, then " + UnitFileTexts.START),
    BAD("bad", "the service's file is not valid", "see what 'systemd-analyze verify nvidia-imex.service' says"),
    /** systemd gives no state, or one that is none of these. */
    UNKNOWN(
            "",
            "systemd does not say whether the service is enabled",
            UnitFileTexts.START + "; see what 'systemctl is-enabled nvidia-imex' says of the boots to come");

    private final String word;
    private final String meaning;
    private final String remedy;

    UnitFileState(String word, String meaning, String remedy) {
        this.word = word;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    /** The state of this word of systemd; {@code invalid} is what older versions called {@code bad}. */
    public static UnitFileState of(String word) {
        return known(word.equals("invalid") ? BAD.word : word).orElse(UNKNOWN);
    }

    /** Of a unit that is masked, with the word of its file, or none. */
    static UnitFileState masked(String word) {
        return of(word) == MASKED_RUNTIME ? MASKED_RUNTIME : MASKED;
    }

    private static Optional<UnitFileState> known(String word) {
        return Arrays.stream(values()).filter(state -> state.word.equals(word)).findFirst();
    }

    /** Whether {@code systemctl enable} makes the boots to come start it, which do not do so yet. */
    public boolean canBeEnabled() {
        return switch (this) {
            case DISABLED, ENABLED_RUNTIME, LINKED, LINKED_RUNTIME -> true;
            case ENABLED, STATIC, INDIRECT, ALIAS, GENERATED, TRANSIENT, MASKED, MASKED_RUNTIME, BAD, UNKNOWN -> false;
        };
    }

    /** Whether nothing but a person starts it, as far as its file says. */
    boolean isStartedByHand() {
        return switch (this) {
            case DISABLED, LINKED, LINKED_RUNTIME, TRANSIENT -> true;
            case ENABLED, ENABLED_RUNTIME, STATIC, INDIRECT, ALIAS, GENERATED, MASKED, MASKED_RUNTIME, BAD, UNKNOWN ->
                false;
        };
    }

    public boolean isMasked() {
        return this == MASKED || this == MASKED_RUNTIME;
    }

    /** What the state means, a clause. */
    public String meaning() {
        return meaning;
    }

    /** How the service is started now, and at the boots to come. */
    public String remedy() {
        return remedy;
    }

    /** Commands that several states need. */
    private static final class UnitFileTexts {
        static final String START = "systemctl start nvidia-imex";
        static final String ENABLE = "systemctl enable --now nvidia-imex";
        static final String ADD_WANTS =
                START + "; for the boots to come: systemctl add-wants multi-user.target nvidia-imex.service";
    }
}
