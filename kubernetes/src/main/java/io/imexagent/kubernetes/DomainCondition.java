package io.imexagent.kubernetes;

import io.imexagent.core.setting.NamedChoice;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A condition of a ComputeDomain, with the fields of {@code metav1.Condition}. The reason is one word in upper camel
 * case; the message, for people, is cut to 512 characters; {@code generation} is the one that the condition describes;
 * {@code since} is when the status last changed, in whole seconds.
 */
public record DomainCondition(
        String type, ConditionStatus status, String reason, String message, long generation, Instant since) {

    private static final int LONGEST = 512;

    public enum ConditionStatus implements NamedChoice {
        TRUE,
        FALSE,
        UNKNOWN
    }

    /** Cuts the message to its limit and the time to whole seconds. */
    public DomainCondition {
        message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
        since = since.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns this condition with the time of the earlier one of its type, if the status is the same. */
    public DomainCondition after(List<DomainCondition> before) {
        return before.stream()
                .filter(condition -> condition.type().equals(type) && condition.status() == status)
                .findFirst()
                .map(same -> new DomainCondition(type, status, reason, message, generation, same.since()))
                .orElse(this);
    }
}
