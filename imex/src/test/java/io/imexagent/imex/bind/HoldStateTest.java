package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.imex.bind.HoldState.DueCall;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The rules of holds one by one; {@link ChannelModelTest} has them together. */
class HoldStateTest {

    private static final CliqueId HERE = new CliqueId("00000000-0000-0000-0000-000000000001.1");
    private static final CliqueId THERE = new CliqueId("00000000-0000-0000-0000-000000000001.2");
    private static final DomainName A = domain("a");
    private static final DomainName B = domain("b");

    private final HoldState book = book("second", false);

    @Test
    void theFirstWriteOfAProcessComesBeforeAnyHoldCounts() {
        book.want(use(A));
        book.read(Optional.of(stored("7", said("first", 3, A))));

        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();
        assertThat(book.due()).get().isInstanceOf(DueCall.ReplaceHolds.class);
        acknowledge("8");
        assertThat(book.heldSince(A.uid(), HERE)).isPresent();
        assertThat(book.due()).isEmpty();
    }

    @Test
    void noTwoWritesSayTheSame() {
        book.read(Optional.empty());
        NvlinkNode first = made(book.due().orElseThrow());
        book.started(first);
        book.refused();
        book.read(Optional.empty());

        assertThat(made(book.due().orElseThrow())).isNotEqualTo(first);
    }

    @Test
    void aHoldThatIsTakenUpAgainWhileItsReleaseIsUnderWayDoesNotCount() {
        holding(A);
        book.release(A.uid());
        NvlinkNode release = made(book.due().orElseThrow());
        book.started(release);
        book.want(use(A));

        assertThat(book.heldSince(A.uid(), HERE)).as("under way").isEmpty();
        book.lost();
        book.read(Optional.of(stored("1", said("second", 0, A))));
        assertThat(book.heldSince(A.uid(), HERE)).as("unknown").isEmpty();
        acknowledge("3");
        assertThat(book.heldSince(A.uid(), HERE)).as("past").isPresent();
    }

    /** As where the program failed after it had sent the write. */
    @Test
    void aWriteThatWasNeverAnsweredIsUnknownUntilALaterOneIs() {
        holding(A);
        book.release(A.uid());
        book.started(made(book.due().orElseThrow()));
        book.want(use(A));
        book.want(new Hold(B, Optional.empty()));
        book.started(made(book.due().orElseThrow()));

        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();
        book.lost();
        book.read(Optional.of(stored("1", said("second", 0, A))));
        acknowledge("3");
        assertThat(book.heldSince(A.uid(), HERE)).isPresent();
    }

    @Test
    void aWriteThatKeepsAHoldLeavesItCountingWhateverBecomesOfIt() {
        holding(A);
        book.want(new Hold(B, Optional.empty()));
        book.started(made(book.due().orElseThrow()));

        assertThat(book.heldSince(A.uid(), HERE)).isPresent();
        assertThat(book.heldSince(B.uid(), HERE)).isEmpty();
    }

    @Test
    void whatIsInUseIsHeldInItsCliqueAndInTheNodesAndNothingNewIsBoundMeanwhile() {
        holding(A);
        book.moved(Optional.of(THERE), OptionalInt.of(2048));
        book.want(new Hold(B, Optional.empty()));

        assertThat(made(book.due().orElseThrow()).cliques()).containsExactlyInAnyOrder(HERE, THERE);
        assertThat(book.left()).containsExactly(HERE);
        acknowledge("2");
        assertThat(book.heldSince(B.uid(), THERE)).isEmpty();

        book.release(A.uid());
        assertThat(book.left()).isEmpty();
        acknowledge("3");
        assertThat(book.heldSince(B.uid(), THERE)).isPresent();
    }

    @Test
    void whatIsKeptStaysKeptAfterAnotherRestart() {
        HoldState blind = book("second", true);
        blind.read(Optional.of(stored("7", said("first", 3, A))));
        NvlinkNode marked = made(blind.due().orElseThrow());
        HoldState seeing = book("third", false);
        seeing.read(Optional.of(stored("8", marked)));
        seeing.want(use(A));
        seeing.release(A.uid());

        assertThat(made(seeing.due().orElseThrow()).holds().values())
                .containsExactly(new Hold(A, Optional.of(new ChannelId(3)), true));
    }

    @Test
    void anObjectWithoutItsLabelsCountsForNothingAndIsMended() {
        holding(A);
        NvlinkNode told = said("second", 0, A);
        book.read(Optional.of(stored(
                "5",
                new NvlinkNode(
                        told.session(),
                        told.write(),
                        told.cliques(),
                        told.boot(),
                        told.channels(),
                        told.holds(),
                        told.status(),
                        false))));

        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();
        assertThat(made(book.due().orElseThrow()).guarded()).isTrue();
    }

    @Test
    void newsThatThisProcessDidNotWriteMakeItReadAlsoWhereTheyOvertakeAnAnswer() {
        holding(A);
        book.want(new Hold(B, Optional.empty()));
        NvlinkNode next = made(book.due().orElseThrow());
        book.started(next);
        book.observed(Optional.of(stored("2", next)));
        book.observed(Optional.of(stored("3", said("second", 9))));
        book.written(stored("2", next));
        assertThat(book.due()).containsInstanceOf(DueCall.ReadHolds.class);

        book.read(Optional.of(stored("2", next)));
        assertThat(book.due()).isEmpty();
        book.observed(Optional.of(stored("1", said("second", 0, A))));
        assertThat(book.due()).as("a past write of its own, told late").isEmpty();
        book.observed(Optional.empty());
        assertThat(book.due()).containsInstanceOf(DueCall.ReadHolds.class);
    }

    /** The controller marks nodes that it has lost. */
    @Test
    void afterAMarkTheNextWriteGoesOverTheMarkedVersionAndTheHoldCountsOn() {
        holding(A);
        Optional<Long> since = book.heldSince(A.uid(), HERE);
        var marked = stored("5", said("second", 1, A));

        book.observed(Optional.of(marked));
        book.observed(Optional.of(stored("4", said("second", 1, A))));

        assertThat(book.due()).isEmpty();
        assertThat(book.heldSince(A.uid(), HERE)).isPresent().isEqualTo(since);
        book.want(new Hold(B, Optional.empty()));
        assertThat(book.due())
                .get()
                .isInstanceOfSatisfying(
                        DueCall.ReplaceHolds.class,
                        next -> assertThat(next.observed()).isEqualTo(marked));
    }

    @Test
    void aMarkOfAnObjectThatWasMadeAnewIsNotTakenForTheOneThatWasSeen() {
        holding(A);
        book.observed(Optional.of(new Stored<>("tray-1", "another", "5", false, said("second", 1, A))));

        book.want(new Hold(B, Optional.empty()));

        assertThat(book.due())
                .get()
                .isInstanceOfSatisfying(
                        DueCall.ReplaceHolds.class,
                        next -> assertThat(next.observed().uid()).isEqualTo("uid"));
    }

    @Test
    void whatPeopleAreToldIsWritten() {
        holding(A);
        book.update(new NodeStatus(
                Optional.of(HERE),
                Optional.of("580"),
                4,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty()));

        assertThat(made(book.due().orElseThrow()).status().gpus()).isEqualTo(4);
    }

    @Test
    void aHoldThatWasBrokenInBetweenIsAnotherOne() {
        book.want(new Hold(A, Optional.empty()));
        book.read(Optional.empty());
        acknowledge("1");
        Optional<Long> before = book.heldSince(A.uid(), HERE);

        book.want(new Hold(B, Optional.empty()));
        acknowledge("2");
        assertThat(book.heldSince(A.uid(), HERE))
                .as("another write that holds it")
                .isEqualTo(before);

        book.moved(Optional.of(THERE), OptionalInt.of(2048));
        acknowledge("3");
        book.moved(Optional.of(HERE), OptionalInt.of(2048));
        acknowledge("4");
        assertThat(book.heldSince(A.uid(), HERE)).isPresent().isNotEqualTo(before);
    }

    @Test
    void aRefusedWriteLeavesNothingThatCounts() {
        holding(A);
        book.want(new Hold(B, Optional.empty()));
        book.started(made(book.due().orElseThrow()));
        book.refused();

        assertThat(book.heldSince(A.uid(), HERE))
                .as("until it was read and written again")
                .isEmpty();
        assertThat(book.due()).containsInstanceOf(DueCall.ReadHolds.class);
    }

    @Test
    void whereTheBootIsUnknownNothingIsVoid() {
        HoldState blind = book("second", true);
        blind.read(Optional.of(stored(
                "7",
                new NvlinkNode(
                        "first",
                        3,
                        in(HERE),
                        Optional.empty(),
                        OptionalInt.of(2048),
                        NvlinkNode.byDomain(List.of(use(A))),
                        NodeStatus.NONE,
                        true))));

        assertThat(made(blind.due().orElseThrow()).holds()).containsKey(A.uid());
    }

    @Test
    void withoutACheckpointWhatTheObjectHoldsStaysHeldUntilTheReboot() {
        HoldState blind = book("second", true);
        blind.read(Optional.of(stored("7", said("first", 3, A))));
        blind.release(A.uid());

        assertThat(made(blind.due().orElseThrow()).holds()).containsKey(A.uid());
    }

    @Test
    void holdsOfAnEarlierBootAreVoid() {
        HoldState blind = book("second", true);
        NvlinkNode earlier = new NvlinkNode(
                "first",
                3,
                in(HERE),
                Optional.of(new BootId("earlier")),
                OptionalInt.of(2048),
                NvlinkNode.byDomain(List.of(use(A))),
                NodeStatus.NONE,
                true);
        blind.read(Optional.of(stored("7", earlier)));

        assertThat(made(blind.due().orElseThrow()).holds()).isEmpty();
    }

    /** The controller frees a channel that is held by a report of channel 0 alone. */
    @Test
    void aReportOfChannelZeroIsNoHoldToBindUnder() {
        book.want(new Hold(A, Optional.of(new ChannelId(0))));
        book.read(Optional.empty());
        acknowledge("1");
        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();

        book.align(List.of(A), Map.of());
        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();
        acknowledge("2");

        assertThat(book.heldSince(A.uid(), HERE)).isPresent();
    }

    /** The isolation became None meanwhile; containers of before may still use the channel. */
    @Test
    void aReportOfChannelZeroTakesNoKeptChannelAway() {
        HoldState blind = book("second", true);
        blind.read(Optional.of(stored("7", said("first", 3, A))));
        NvlinkNode kept = made(blind.due().orElseThrow());
        var report = new Hold(A, Optional.of(new ChannelId(0)));
        for (boolean again : List.of(false, true)) {
            HoldState shared = book("third", again, report);
            shared.read(Optional.of(stored("8", kept)));
            shared.want(report);

            assertThat(made(shared.due().orElseThrow()).holds().values())
                    .containsExactly(new Hold(A, Optional.of(new ChannelId(3)), true));
        }
    }

    /** The channel of a claim that is prepared now is the one that counts. */
    @Test
    void aChannelOfAClaimTakesThePlaceOfAKeptOneAndOfAKeptReport() {
        for (int before : List.of(0, 3)) {
            HoldState blind = book("second", true);
            blind.read(Optional.of(stored(
                    "7", said("first", 3, List.of(new Hold(A, Optional.of(new ChannelId(before))))))));
            HoldState seeing = book("third", false, new Hold(A, Optional.of(new ChannelId(5))));
            seeing.read(Optional.of(stored("8", made(blind.due().orElseThrow()))));

            assertThat(made(seeing.due().orElseThrow()).holds().values())
                    .containsExactly(new Hold(A, Optional.of(new ChannelId(5)), true));
        }
    }

    @Test
    void aNodeThatMovesTakesAReportOfChannelZeroAlong() {
        book.want(new Hold(A, Optional.of(new ChannelId(0))));
        book.read(Optional.empty());
        acknowledge("1");

        book.moved(Optional.of(THERE), OptionalInt.of(2048));

        assertThat(made(book.due().orElseThrow()).cliques()).containsExactly(THERE);
        assertThat(book.left()).isEmpty();
    }

    @Test
    void anObjectThatSomebodyElseChangedIsRestored() {
        holding(A);
        book.read(Optional.of(stored("5", said("second", 0))));

        assertThat(book.heldSince(A.uid(), HERE)).isEmpty();
        assertThat(made(book.due().orElseThrow()).holds()).containsKey(A.uid());
    }

    /** Holds the ComputeDomain as the object of version 1 says. */
    private void holding(DomainName domain) {
        book.want(use(domain));
        book.read(Optional.empty());
        acknowledge("1");
    }

    private void acknowledge(String version) {
        NvlinkNode content = made(book.due().orElseThrow());
        book.started(content);
        book.written(stored(version, content));
    }

    private static NvlinkNode made(DueCall due) {
        return switch (due) {
            case DueCall.ReadHolds _ -> throw new AssertionError("the object is to be read");
            case DueCall.CreateHolds(NvlinkNode content) -> content;
            case DueCall.ReplaceHolds(Stored<NvlinkNode> _, NvlinkNode content) -> content;
        };
    }

    private static HoldState book(String session, boolean blind, Hold... held) {
        return new HoldState(
                session,
                List.of(held),
                blind,
                Optional.of(HERE),
                Optional.of(new BootId("boot")),
                OptionalInt.of(2048));
    }

    private static NvlinkNode said(String session, long write, DomainName... held) {
        return said(
                session, write, List.of(held).stream().map(HoldStateTest::use).toList());
    }

    private static NvlinkNode said(String session, long write, List<Hold> held) {
        return new NvlinkNode(
                session,
                write,
                in(HERE),
                Optional.of(new BootId("boot")),
                OptionalInt.of(2048),
                NvlinkNode.byDomain(held),
                NodeStatus.NONE,
                true);
    }

    private static Stored<NvlinkNode> stored(String version, NvlinkNode content) {
        return new Stored<>("tray-1", "uid", version, false, content);
    }

    private static SortedSet<CliqueId> in(CliqueId... cliques) {
        return new TreeSet<>(List.of(cliques));
    }

    private static Hold use(DomainName domain) {
        return new Hold(domain, Optional.of(new ChannelId(3)));
    }

    private static DomainName domain(String uid) {
        return new DomainName(new ComputeDomainUid(uid), "team", "domain-" + uid);
    }
}
