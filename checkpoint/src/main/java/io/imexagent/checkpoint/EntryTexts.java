package io.imexagent.checkpoint;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Function;

/**
 * The encoded texts of a ledger's entries, so that entries that are unchanged in the next ledger are not encoded again.
 */
public final class EntryTexts {

    private IdentityHashMap<ClaimEntry, String> known = new IdentityHashMap<>();

    /** Keeps the texts of this ledger's entries, and drops all others. */
    void learn(Ledger ledger, Function<ClaimEntry, String> writer) {
        var next = new IdentityHashMap<ClaimEntry, String>();
        ledger.entries().values().forEach(entry -> {
            String text = known.get(entry);
            next.put(entry, text == null ? writer.apply(entry) : text);
        });
        known = next;
    }

    String of(ClaimEntry entry) {
        return Objects.requireNonNull(known.get(entry), "every entry has a text");
    }
}
