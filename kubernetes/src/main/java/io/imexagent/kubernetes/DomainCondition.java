package io.imexagent.kubernetes;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A condition of a ComputeDomain, as {@code metav1.Condition} has it: the reason is one word in upper camel case, the
 * message, for people, is cut to 512 characters; the time is that of the last change of the status, in whole seconds, and
 * the generation that the condition describes.
 */
public record DomainCondition(
        String type, ConditionStatus status, String reason, String message, long generation, Instant since) {

    private static final int LONGEST = 512;

    public enum ConditionStatus {
        TRUE("True"),
        FALSE("False"),
        UNKNOWN("Unknown");

        private final String text;

        ConditionStatus(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /** Cuts the message, and the time to seconds. */
    public DomainCondition {
        message = message.length() > LONGEST ? message.substring(0, LONGEST - 1) + "…" : message;
        since = since.truncatedTo(ChronoUnit.SECONDS);
    }

    /** The same, since when its status has been this one, where conditions of before say so. */
    public DomainCondition after(List<DomainCondition> before) {
        return before.stream()
                .filter(condition -> condition.type().equals(type) && condition.status() == status)
                .findFirst()
                .map(same -> new DomainCondition(type, status, reason, message, generation, same.since()))
                .orElse(this);
    }
}
