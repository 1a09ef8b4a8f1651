package io.imexagent.imex.health;

import java.util.Arrays;

/**
 * How a run of the service ended: systemd's own results of a service (systemd.exec(5), {@code $SERVICE_RESULT}),
 * versions 252 to 258. Each says what happened, a clause, and where to look.
 */
enum ServiceResult {
    SUCCESS("success", "its process ended by itself, without an error", ServiceResultTexts.LOG),
    EXIT_CODE("exit-code", "its process ended with an error", ServiceResultTexts.LOG),
    SIGNAL(
            "signal",
            "a signal ended its process",
            ServiceResultTexts.LOG + "; the kernel log may say who sent the signal"),
    CORE_DUMP(
            "core-dump",
            "its process crashed and left a core dump",
            ServiceResultTexts.LOG + "; 'coredumpctl info nvidia-imex'"),
    WATCHDOG("watchdog", "it did not report to systemd within WatchdogSec= of its unit", ServiceResultTexts.LOG),
    OOM_KILL(
            "oom-kill",
            "it was ended because memory ran out",
            "see what used the memory: 'journalctl -k', and MemoryMax= of the unit"),
    TIMEOUT(
            "timeout",
            "a start or stop took longer than its unit allows (TimeoutStartSec=, TimeoutStopSec=)",
            ServiceResultTexts.LOG),
    PROTOCOL("protocol", "it did not start in the way that Type= of its unit says", ServiceResultTexts.UNIT),
    RESOURCES("resources", "systemd could not set up what its unit asks for", ServiceResultTexts.UNIT),
    START_LIMIT_HIT(
            "start-limit-hit",
            "it was started more often than StartLimitBurst= of its unit allows, and systemd starts it no more",
            ServiceResultTexts.LOG + "; 'systemctl reset-failed nvidia-imex' lets it be started again"),
    EXEC_CONDITION("exec-condition", "ExecCondition= of its unit kept it from starting", ServiceResultTexts.UNIT),
    UNKNOWN("", "", ServiceResultTexts.LOG);

    private final String word;
    private final String meaning;
    private final String advice;

    ServiceResult(String word, String meaning, String advice) {
        this.word = word;
        this.meaning = meaning;
        this.advice = advice;
    }

    /** The result of this word of systemd. */
    static ServiceResult of(String word) {
        return Arrays.stream(values())
                .filter(result -> result.word.equals(word))
                .findFirst()
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

    /** Where to look, before the service is started again. */
    String advice() {
        return advice;
    }

    /** Places where several results are explained. */
    private static final class ServiceResultTexts {
        static final String LOG = "look at 'journalctl -u nvidia-imex' and /var/log/nvidia-imex.log";
        static final String UNIT = "look at 'systemctl cat nvidia-imex' and 'journalctl -u nvidia-imex'";
    }
}
