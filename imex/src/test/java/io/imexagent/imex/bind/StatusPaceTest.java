package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** When the node's object is written for people and for the controller, to the second. */
class StatusPaceTest {

    private static final Hold A = sharing("uid-a");
    private static final Hold B = sharing("uid-b");
    private static final NodeStatus SERVING = NodeStatus.NONE.in(Optional.of(new NodeMode.ChannelMode(Isolation.NONE)));

    private final HoldState state = new HoldState(
            "first",
            List.of(new Hold(
                    new DomainName(new ComputeDomainUid("uid-c"), "team", "c"), Optional.of(new ChannelId(3)))),
            false,
            Optional.of(NodeSpecimens.CLIQUE),
            Optional.of(NodeSpecimens.BOOT),
            OptionalInt.of(2048));
    private NodeStatus status = SERVING;
    private boolean nodeMissing;
    private int questions;
    private final StatusPace pace = new StatusPace(
            new HoldWriter.NodeSources(
                    NodeSpecimens.NAME,
                    "first",
                    NodeSpecimens::healthy,
                    () -> status,
                    () -> {
                        questions++;
                        return nodeMissing;
                    },
                    () -> true,
                    HoldWriter.DomainNameLookup.NONE),
            0);

    @Test
    void whoUsesChannelZeroIsReportedTwoSecondsAfterTheLastChange() {
        pace.update(state, 0);

        pace.shares(NvlinkNode.byDomain(List.of(A)), seconds(100));
        assertThat(pace.update(state, seconds(101))).isEqualTo(Duration.ofSeconds(1));
        pace.shares(NvlinkNode.byDomain(List.of(A, B)), seconds(101));
        assertThat(pace.update(state, seconds(102))).isEqualTo(Duration.ofSeconds(1));
        assertThat(state.holds()).doesNotContain(A, B);

        assertThat(pace.update(state, seconds(103))).isEqualTo(Signal.UNTIL_RAISED);
        assertThat(state.holds()).contains(A, B);
    }

    @Test
    void theStatusIsReportedEveryFifteenSecondsAndWhereItNeverRestsEveryTwoMinutes() {
        for (long change = 0; change < 5; change++) {
            status = statusOf((int) change);
            assertThat(pace.update(state, seconds(15 * change))).isEqualTo(Signal.UNTIL_RAISED);
            status = SERVING;
            assertThat(pace.update(state, seconds(15 * change + 5)))
                    .isEqualTo(Duration.ofSeconds(change < 4 ? 10 : 115));
        }
    }

    @Test
    void whereTheClusterHasNoNodeTheObjectIsWrittenOnceAMinute() {
        write(seconds(0));
        nodeMissing = true;
        assertThat(pace.newlyMissed(seconds(89))).isFalse();
        assertThat(questions).isZero();

        assertThat(pace.newlyMissed(seconds(90))).isTrue();
        pace.update(state, seconds(90));
        write(seconds(90));
        pace.update(state, seconds(149));
        assertThat(state.due()).isEmpty();

        pace.update(state, seconds(150));
        assertThat(state.due()).isPresent();
    }

    /** Writes what is due. */
    private void write(long nanos) {
        pace.update(state, nanos);
        state.read(Optional.empty());
        HoldState.DueCall due = state.due().orElseThrow();
        NvlinkNode content = ((HoldState.DueCall.CreateHolds) due).content();
        state.started(content);
        state.written(new Stored<>(NodeSpecimens.NAME, "uid", "1", false, content));
        pace.written(nanos);
    }

    private static NodeStatus statusOf(int gpus) {
        return new NodeStatus(
                Optional.empty(),
                Optional.empty(),
                gpus + 1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static Hold sharing(String uid) {
        return new Hold(new DomainName(new ComputeDomainUid(uid), "team", uid), Optional.of(new ChannelId(0)));
    }

    private static long seconds(long seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
