package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;

/**
 * The host's nvidia-imex.service: whether it is installed, runs, and has its domain. Never a failure, since the agent
 * serves without it; pods start then, and CUDA's IMEX calls fail.
 */
public final class ImexServiceCheck {

    static final String ID = "nvidia-imex";

    private ImexServiceCheck() {}

    public static CheckResult run(ImexHealth health) {
        Verdict verdict = health.verdict();
        String message = verdict.summary() + (verdict.cause().isEmpty() ? "" : ": " + verdict.cause());
        return switch (verdict.level()) {
            case UP, NOT_APPLICABLE -> CheckResult.ok(ID, message);
            case DEGRADED, DOWN, UNKNOWN -> CheckResult.warning(ID, message, verdict.nextStep());
        };
    }
}
