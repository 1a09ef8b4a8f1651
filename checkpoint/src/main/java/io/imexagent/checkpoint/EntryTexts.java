package io.imexagent.checkpoint;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Function;

/** What was written of entries: those that are the same in the next ledger are not put into words again. */
public final class EntryTexts {

    private IdentityHashMap<ClaimEntry, String> known = new IdentityHashMap<>();

    /** Knows the ledger's entries from now on, and no others. */
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
