package io.imexagent.log;

import io.imexagent.core.claim.ClaimUid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.MessageFormatter;

/**
 * A record that was logged through SLF4J, with the values that programs query. The values come from the template, which
 * is a constant of the code, and from the types of the arguments, but never from the text, which tenants and peers can
 * influence.
 */
@SuppressWarnings("serial") // never serialized
final class LogEntry extends LogRecord {

    /** The ResourceClaim that an entry is about. */
    static final String CLAIM_UID = "CLAIM_UID";

    /** The reason of a refusal, or a finding. */
    static final String CODE = "CODE";

    private static final String PLACEHOLDER = "{}";
    private static final String CODE_KEY = " code=";

    /** The values that programs query, by name, in the order of the text. */
    final Map<String, String> fields;

    /** The known message of this entry; empty if its template is none. */
    final Optional<KnownMessage> known;

    LogEntry(
            String logger,
            Level level,
            @Nullable String template,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        super(level, MessageFormatter.basicArrayFormat(template, arguments));
        setLoggerName(logger);
        // Otherwise whoever prints the source searches for it in the stack.
        setSourceClassName(logger);
        setThrown(thrown);
        // Keys in the templates of libraries have another meaning.
        if (template != null && logger.startsWith("io.imexagent.")) {
            fields = arguments != null ? fields(template, arguments) : Map.of();
            known = KnownMessage.of(template);
        } else {
            fields = Map.of();
            known = Optional.empty();
        }
    }

    private static Map<String, String> fields(String template, @Nullable Object[] arguments) {
        var fields = new LinkedHashMap<String, String>();
        int at = template.indexOf(PLACEHOLDER);
        for (Object argument : arguments) {
            if (at < 0) {
                break;
            }
            if (argument instanceof ClaimUid uid) {
                fields.putIfAbsent(CLAIM_UID, uid.value());
            } else if (template.startsWith(CODE_KEY, at - CODE_KEY.length())) {
                fields.putIfAbsent(CODE, String.valueOf(argument));
            }
            at = template.indexOf(PLACEHOLDER, at + PLACEHOLDER.length());
        }
        return fields;
    }
}
