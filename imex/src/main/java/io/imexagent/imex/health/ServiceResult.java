package io.imexagent.imex.health;

/**
 * The result of a run of the service: systemd's own results (systemd.exec(5), {@code $SERVICE_RESULT}), versions 252 to
 * 258. Each has a clause on the event, and advice where to look.
 */
enum ServiceResult {
    SUCCESS("success", "its process ended by itself, without an error"),
    EXIT_CODE("exit-code", "its process ended with an error"),
    SIGNAL("signal", "a signal ended its process"),
    CORE_DUMP("core-dump", "its process crashed and left a core dump"),
    WATCHDOG("watchdog", "it did not report to systemd within WatchdogSec= of its unit"),
    OOM_KILL("oom-kill", "it was ended because memory ran out"),
    TIMEOUT("timeout", "a start or stop took longer than its unit allows (TimeoutStartSec=, TimeoutStopSec=)"),
    PROTOCOL("protocol", "it did not start in the way that Type= of its unit says"),
    RESOURCES("resources", "systemd could not set up what its unit asks for"),
    START_LIMIT_HIT(
            "start-limit-hit",
            "it was started more often than StartLimitBurst= of its unit allows, and systemd starts it no more"),
    EXEC_CONDITION("exec-condition", "ExecCondition= of its unit kept it from starting"),
    UNKNOWN("", "");

    private final String word;
    private final String meaning;

    ServiceResult(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    /** The result for this word of systemd. */
    static ServiceResult of(String word) {
        return PrintedState.of(word, values(), result -> result.word.equals(word))
                .state()
                .orElse(UNKNOWN);
    }

    /** A clause: {@code systemd gives the result exit-code: its process ended with an error}. */
    static String cause(String word) {
        if (word.isEmpty()) {
            return "systemd gives no result";
        }
        ServiceResult result = of(word);
        return "systemd gives the result " + word + (result == UNKNOWN ? "" : ": " + result.meaning);
    }

    /** The place to look at before the service is started again. */
    String advice() {
        String log = "look at 'journalctl -u nvidia-imex' and /var/log/nvidia-imex.log";
        return switch (this) {
            case SUCCESS, EXIT_CODE, WATCHDOG, TIMEOUT, UNKNOWN -> log;
            case SIGNAL -> log + "; the kernel log may say who sent the signal";
            case CORE_DUMP -> log + "; 'coredumpctl info nvidia-imex'";
            case START_LIMIT_HIT -> log + "; 'systemctl reset-failed nvidia-imex' lets it be started again";
            case OOM_KILL -> "see what used the memory: 'journalctl -k', and MemoryMax= of the unit";
            case PROTOCOL, RESOURCES, EXEC_CONDITION ->
                "look at 'systemctl cat nvidia-imex' and 'journalctl -u nvidia-imex'";
        };
    }
}
