package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.Inventories;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpecReconcilerTest {

    @TempDir
    Path folder;

    @Test
    void aMajorThatChangesIsWrittenIntoTheSpecsOfPreparedClaims() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.reconciler().start();

            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(511)));

            Eventually.holds("rewritten", () -> spec(node, claim).contains("\"major\" : 511"));
        }
    }

    @Test
    void aMajorThatVanishesLeavesTheSpecsAndOneThatComesBackMendsThem() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.reconciler().start();

            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnknownMajor("unreadable")));
            assertThat(node.worker.submit(() -> true).get()).isTrue();
            assertThat(spec(node, claim)).contains("\"major\" : 239");
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(240)));

            Eventually.holds("rewritten", () -> spec(node, claim).contains("\"major\" : 240"));
        }
    }

    @Test
    void aMajorThatAppearsAfterTheStartGivesPreparedClaimsTheirSpecs() throws Exception {
        try (Node first = Node.in(folder).start()) {
            ClaimRef claim = first.claim("a");
            first.prepare(claim);
            first.specs.remove(claim.uid());
            first.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));
            try (Node node = Node.in(folder).like(first).start()) {
                node.reconciler().start();

                node.inventory.set(Inventories.gb200());

                Eventually.holds("restored", () -> node.spec(claim).isPresent());
            }
        }
    }

    @Test
    void whatCouldNotBeWrittenIsTriedAgain() throws Exception {
        var full = new AtomicBoolean();
        var failures = new AtomicInteger();
        FileSteps steps = (step, path) -> {
            if (full.get() && step == FileStep.WRITE) {
                failures.incrementAndGet();
                throw new FileSystemException(path.toString(), null, "No space left on device");
            }
        };
        try (Node node = Node.in(folder).with(steps).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.reconciler().start();
            full.set(true);
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(511)));
            Eventually.holds("failed", () -> failures.get() > 0);

            full.set(false);
            // The pause is 30 s; a change of the node ends it.
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(512)));

            Eventually.holds("rewritten", () -> spec(node, claim).contains("\"major\" : 512"));
        }
    }

    private static String spec(Node node, ClaimRef claim) throws Exception {
        return Files.readString(node.specs.file(claim.uid()));
    }
}
