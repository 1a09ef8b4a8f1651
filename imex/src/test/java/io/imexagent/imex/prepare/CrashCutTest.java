package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.cdi.CdiSpecReader;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.SimulatedCrash;
import io.imexagent.imex.fake.Inventories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The agent ends after every single effect of what it does, and starts again. The cuts are those that an uncut run shows,
 * so a new effect has its cut by itself.
 */
class CrashCutTest {

    private static final String SHARE_A = "5a0e2b1c-0000-4000-8000-00000000000a";
    private static final String SHARE_B = "5a0e2b1c-0000-4000-8000-00000000000b";

    @TempDir
    Path folder;

    private Isolation isolation = Isolation.NONE;

    @Test
    void aPrepareThatWasCutConvergesWithTheRetry() throws Exception {
        assertEveryCut(
                2,
                node -> {},
                node -> {
                    ClaimRef claim = node.claim("a");
                    assertInterruptedOr(node.prepare(claim));
                },
                node -> {
                    ClaimRef claim = node.claim("a");
                    assertThat(node.prepare(claim))
                            .isEqualTo(Outcome.accepted(new Prepared(List.of(DraSpecimens.channel(claim)))));
                    assertThat(node.saved(claim)).contains(DraSpecimens.completed(claim, 0));
                    assertThat(node.spec(claim)).isPresent();
                });
    }

    @Test
    void aPrepareThatWasCutLeavesNothingWhenItsPodIsDeletedInstead() throws Exception {
        assertEveryCut(
                2,
                node -> {},
                node -> assertInterruptedOr(node.prepare(node.claim("a"))),
                node -> assertThat(node.unprepare(node.claim("a"))).isEqualTo(Outcome.accepted(new Unprepared())));
    }

    @Test
    void aPrepareThatWasCutIsSweptWhenNobodyComesBackForIt() throws Exception {
        assertEveryCut(2, node -> {}, node -> assertInterruptedOr(node.prepare(node.claim("a"))), node -> {
            ClaimRef claim = node.claim("a");
            node.claims.remove(claim);
            node.sweeper.turn();
            assertThat(node.saved(claim))
                    .satisfiesAnyOf(
                            entry -> assertThat(entry).isEmpty(),
                            entry -> assertThat(entry)
                                    .as("could have been answered")
                                    .contains(DraSpecimens.completed(claim, 0)));
        });
    }

    @Test
    void anUnprepareThatWasCutConvergesWithTheRetry() throws Exception {
        assertEveryCut(
                2,
                node -> node.prepare(node.claim("a")),
                node -> assertInterruptedOr(node.unprepare(node.claim("a"))),
                node -> {
                    assertThat(node.unprepare(node.claim("a"))).isEqualTo(Outcome.accepted(new Unprepared()));
                    assertThat(node.saved().entries()).isEmpty();
                });
    }

    @Test
    void anEndOfAClaimThatIsGoneThatWasCutConvergesWithTheNextThreeSightings() throws Exception {
        assertEveryCut(
                2,
                node -> {
                    node.prepare(node.claim("a"));
                    node.claims.remove(DraSpecimens.ref("a"));
                },
                CrashCutTest::lookForHalfAnHour,
                node -> {
                    lookForHalfAnHour(node);
                    assertThat(node.saved().entries()).isEmpty();
                    assertThat(node.specs.list()).isEmpty();
                });
    }

    private static void lookForHalfAnHour(Node node) throws InterruptedException {
        for (int sighting = 0; sighting < 3; sighting++) {
            node.time.advance(node.confirmer.turn());
        }
    }

    @Test
    void anUnprepareOfABegunClaimThatWasCutConvergesWithTheRetry() throws Exception {
        assertEveryCut(
                2,
                node -> node.prepared.locked(session -> {
                    session.run(List.of(new Effect.RecordEntry(DraSpecimens.started(node.claim("a")))));
                    return true;
                }),
                node -> assertInterruptedOr(node.unprepare(node.claim("a"))),
                node -> {
                    assertThat(node.unprepare(node.claim("a"))).isEqualTo(Outcome.accepted(new Unprepared()));
                    assertThat(node.saved(node.claim("a"))).containsInstanceOf(ClaimEntry.Aborted.class);
                });
    }

    @Test
    void aRecoveryFromARebootThatWasCutConvergesWithTheNextStart() throws Exception {
        assertEveryCut(
                6,
                node -> {
                    for (String name : List.of("a", "b", "c")) {
                        node.prepared.locked(session -> {
                            session.run(List.of(
                                    new Effect.RecordEntry(DraSpecimens.completed(DraSpecimens.ref(name), 0)),
                                    new Effect.WriteCdi(
                                            DraSpecimens.ref(name).uid(),
                                            PreparePlanner.edits(
                                                    DraSpecimens.ref(name).uid(), List.of(new ChannelId(0)), 239))));
                            return true;
                        });
                    }
                    node.inventory.set(Inventories.with(Inventories.gb200(), Optional.of(new BootId("another-boot"))));
                },
                node -> {},
                node -> {
                    assertThat(node.saved().entries()).isEmpty();
                    assertThat(node.saved().bootId()).contains(new BootId("another-boot"));
                    assertThat(node.specs.list()).isEmpty();
                });
    }

    @Test
    void aChangeOfTheMajorThatWasCutConvergesWithTheNextStart() throws Exception {
        assertEveryCut(
                1,
                node -> {
                    node.prepare(node.claim("a"));
                    node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.RegisteredMajor(511)));
                },
                node -> {},
                node -> assertThat(
                                Files.readString(node.specs.file(node.claim("a").uid())))
                        .contains("\"major\" : 511"));
    }

    @Test
    void aPrepareOfAShareThatWasCutConvergesAndLeavesTheOtherShareAlone() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        assertEveryCut(
                2,
                node -> node.prepare(share(node, "a", SHARE_A)),
                node -> assertInterruptedOr(node.prepare(share(node, "b", SHARE_B))),
                node -> {
                    ClaimRef second = share(node, "b", SHARE_B);
                    assertShare(node, share(node, "a", SHARE_A), SHARE_A);
                    assertThat(node.prepare(second)).isInstanceOf(Outcome.Accepted.class);
                    assertShare(node, second, SHARE_B);
                    assertThat(node.unprepare(second)).isEqualTo(Outcome.accepted(new Unprepared()));
                    assertShare(node, share(node, "a", SHARE_A), SHARE_A);
                });
    }

    @Test
    void anUnprepareOfAShareThatWasCutConvergesAndLeavesTheOtherShareAlone() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        assertEveryCut(
                2,
                node -> {
                    node.prepare(share(node, "a", SHARE_A));
                    node.prepare(share(node, "b", SHARE_B));
                },
                node -> assertInterruptedOr(node.unprepare(share(node, "b", SHARE_B))),
                node -> {
                    assertShare(node, share(node, "a", SHARE_A), SHARE_A);
                    assertThat(node.unprepare(share(node, "b", SHARE_B))).isEqualTo(Outcome.accepted(new Unprepared()));
                    assertThat(node.saved().entries().keySet())
                            .containsExactly(share(node, "a", SHARE_A).uid());
                    assertShare(node, share(node, "a", SHARE_A), SHARE_A);
                });
    }

    private static ClaimRef share(Node node, String name, String share) {
        node.channels.give(DraSpecimens.DOMAIN, 5);
        return node.owned(name, DraSpecimens.DOMAIN, Optional.of(share));
    }

    /** The claim is prepared, in file and checkpoint, with its own device and its own share. */
    private static void assertShare(Node node, ClaimRef claim, String share) throws Exception {
        assertThat(Files.readString(node.specs.file(claim.uid())))
                .contains("/dev/nvidia-caps-imex-channels/channel5", claim.uid() + "-channel-5");
        assertThat(node.prepare(claim).toOptional())
                .hasValueSatisfying(prepared -> assertThat(prepared.devices())
                        .singleElement()
                        .satisfies(device -> {
                            assertThat(device.shareId()).contains(share);
                            assertThat(device.device()).isEqualTo("channel");
                        }));
    }

    private static void assertInterruptedOr(Outcome<?> answer) {
        answer.refusal().ifPresent(refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.INTERNAL));
    }

    /** Runs start and deed uncut, then cut after each effect that this showed, each time with a restart after it. */
    private void assertEveryCut(int fewest, Step before, Step deed, Step after) throws Exception {
        int effects = run(0, before, deed, after);
        assertThat(effects).as("effects to cut after").isGreaterThanOrEqualTo(fewest);
        for (int cut = 1; cut <= effects; cut++) {
            run(cut, before, deed, after);
        }
    }

    private int run(int cut, Step before, Step deed, Step after) throws Exception {
        Path place = folder.resolve("cut-" + cut);
        try (Node node = Node.in(place).with(isolation).start()) {
            before.on(node);
            int ran = cutRun(node, place, cut, deed);
            try (Node restarted = Node.in(place).like(node).with(isolation).start()) {
                assertNothingHalfDone(restarted);
                after.on(restarted);
                assertNothingHalfDone(restarted);
            }
            return ran;
        }
    }

    private int cutRun(Node earlier, Path place, int cut, Step deed) throws Exception {
        var cutting = new SimulatedCrash.AfterEffect(cut);
        try (Node node =
                Node.in(place).like(earlier).with(isolation).with(cutting).build()) {
            try {
                deed.on(node.started());
            } catch (SimulatedCrash inRecovery) {
                assertThat(cut).isPositive();
            }
        }
        return cutting.ran.size();
    }

    /** Every prepared claim has its spec, and every spec a claim. */
    private static void assertNothingHalfDone(Node node) throws IOException {
        for (ClaimEntry.Completed claim : node.saved().completed()) {
            assertThat(CdiSpecReader.read(node.specs, claim.uid())).isPresent();
        }
        assertThat(node.saved().entries().keySet()).containsAll(node.specs.list());
    }

    @FunctionalInterface
    private interface Step {
        void on(Node node) throws Exception;
    }
}
