package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWork;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PrepareOutcome;
import io.imexagent.dra.claim.Specimens;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimWorkTest {

    /** Rules that may not be asked, such as those that would read files on the event loop. */
    private static final ClaimRules SILENT = new ClaimRules() {
        @Override
        public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Instant now) {
            throw new AssertionError("the node was asked");
        }

        @Override
        public List<Effect> grant(ClaimEntry.Completed entry) {
            throw new AssertionError("the node was asked");
        }

        @Override
        public Optional<?> basis() {
            return Optional.empty();
        }

        @Override
        public void onChange(Runnable listener) {
            throw new AssertionError("the node was asked");
        }
    };

    @TempDir
    Path folder;

    @Test
    void theFirstGlanceIsAtTheLedgerAlone() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            var work = new ClaimWork(node.book, SILENT, Optional::empty, node.time);

            assertThat(work.seemsAnswered(claim)).isTrue();
            assertThat(work.seemsAnswered(Specimens.ref("b"))).isFalse();
        }
    }
}
