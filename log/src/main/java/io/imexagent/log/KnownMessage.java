package io.imexagent.log;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The messages that operators use for automation. Each has an id that never changes, even if its words do: the
 * journal's {@code MESSAGE_ID}. The journal's catalogue, {@code systemd/units/imex-agent.catalog}, has the meaning and
 * the remedy for each id ({@code journalctl --catalog}).
 */
enum KnownMessage {
    REGISTERED("e5b20abf4e104e218c465f8b6331cf8c", "registered with the kubelet"),
    START_REFUSED("e43c68e741aa41e58c97d558d143344a", "cannot serve"),
    CHECKPOINT_FROM_BACKUP("b4ac076a350045d6aa0fae34b70d0a6f", "checkpoint taken from its backup"),
    CLAIM_PREPARED("41b030d93e704cc6ba8842de321ba0a0", "claim prepared"),
    CLAIM_REFUSED("f80c6e5908cc4abd81a095fcc0976f29", "claim refused"),
    CLAIM_UNPREPARED("8be398aca54c424db5ad74f300ebe049", "claim unprepared"),
    IMEX_UP("8cce4cd80a4149adbd4d91dff4f0546c", "nvidia-imex is up"),
    IMEX_NOT_UP("7955d44637ee4366bce679d91df632d5", "nvidia-imex is not up"),
    XID("bfe1b40625834414823a2aa484654ef7", "GPU reported an Xid"),
    CHANNEL_CONFLICT(
            "7eb5e5ee5ab542e69fb123591ef5b3ad",
            "containers use a channel against the table of their clique, end their pods at once");

    private static final Map<String, KnownMessage> BY_WORDS =
            Arrays.stream(values()).collect(Collectors.toMap(message -> message.words, Function.identity()));

    /** 128 random bits, 32 digits. */
    final String id;

    /** The beginning of its template, up to the first {@code key=}. */
    final String words;

    KnownMessage(String id, String words) {
        this.id = id;
        this.words = words;
    }

    /** The known message with this template of SLF4J; empty for other templates. */
    static Optional<KnownMessage> of(String template) {
        int key = template.indexOf('=');
        String words = key < 0 ? template : template.substring(0, Math.max(0, template.lastIndexOf(' ', key)));
        return Optional.ofNullable(BY_WORDS.get(words));
    }
}
