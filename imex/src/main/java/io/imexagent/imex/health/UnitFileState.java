package io.imexagent.imex.health;

/**
 * Whether a boot starts the unit of nvidia-imex, and how to achieve that: systemd's own states of a unit file
 * (systemctl(1), {@code is-enabled}), versions 252 to 258. Each has its meaning, a clause, and how to start the service
 * now and at later boots.
 */
public enum UnitFileState {
    ENABLED("enabled", "the service is enabled, and it was stopped or never started since its installation"),
    ENABLED_RUNTIME("enabled-runtime", "the service is enabled until the next boot only"),
    DISABLED("disabled", "the service is not enabled"),
    LINKED("linked", "the service's file is linked, and the service is not enabled"),
    LINKED_RUNTIME(
            "linked-runtime", "the service's file is linked until the next boot only, and the service is not enabled"),
    STATIC(
            "static",
            "the service cannot be enabled, since its file has no [Install] section: another unit has to start it"),
    INDIRECT(
            "indirect",
            "the service is not enabled itself, only units that its file names in Also=, or another name of it, can be"),
    ALIAS("alias", "nvidia-imex.service is another name of a unit, which has to be enabled by its own name"),
    GENERATED(
            "generated",
            "the service cannot be enabled, since a generator makes its file and decides whether a boot starts it"),
    TRANSIENT(
            "transient",
            "the service cannot be enabled, since it was made while the host ran and is gone with the next boot"),
    MASKED("masked", "the service is masked"),
    MASKED_RUNTIME("masked-runtime", "the service is masked until the next boot"),
    BAD("bad", "the service's file is not valid"),
    /** systemd reports no state, or an unknown one. */
    UNKNOWN("", "systemd does not say whether the service is enabled");

    private final String word;
    private final String meaning;

    UnitFileState(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    /** The state for this word of systemd; {@code invalid} is an older name of {@code bad}. */
    public static UnitFileState of(String word) {
        String now = word.equals("invalid") ? BAD.word : word;
        return PrintedState.of(now, values(), state -> state.word.equals(now))
                .state()
                .orElse(UNKNOWN);
    }

    /** The state of a masked unit, given the word of its file, or none. */
    static UnitFileState masked(String word) {
        return of(word) == MASKED_RUNTIME ? MASKED_RUNTIME : MASKED;
    }

    /** Whether only a person starts the unit, as far as its file shows. */
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

    /** The meaning of the state, a clause. */
    public String meaning() {
        return meaning;
    }

    /** The way to start the service now, and at later boots. */
    public String remedy() {
        String start = "systemctl start nvidia-imex";
        String enable = "systemctl enable --now nvidia-imex";
        return switch (this) {
            case ENABLED -> start;
            case ENABLED_RUNTIME, DISABLED, LINKED, LINKED_RUNTIME -> enable;
            case STATIC, INDIRECT ->
                start + "; for the boots to come: systemctl add-wants multi-user.target nvidia-imex.service";
            case ALIAS ->
                start + "; for the boots to come: systemctl enable the unit that 'systemctl show --property=Id"
                        + " nvidia-imex' names";
            case GENERATED -> start + "; 'systemctl cat nvidia-imex' says what the file is generated from";
            case TRANSIENT -> "install the package nvidia-imex, which has a unit of its own, then " + enable;
            case MASKED -> "systemctl unmask nvidia-imex, then " + start;
            case MASKED_RUNTIME -> "systemctl unmask --runtime nvidia-imex, then " + start;
            case BAD -> "see what 'systemd-analyze verify nvidia-imex.service' says";
            case UNKNOWN -> start + "; see what 'systemctl is-enabled nvidia-imex' says of the boots to come";
        };
    }
}
