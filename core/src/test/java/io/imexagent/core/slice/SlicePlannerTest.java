package io.imexagent.core.slice;

import static io.imexagent.core.slice.Pools.devices;
import static io.imexagent.core.slice.Pools.foreign;
import static io.imexagent.core.slice.Pools.observed;
import static io.imexagent.core.slice.Pools.publish;
import static io.imexagent.core.slice.Pools.slice;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.slice.SlicePlanner.SliceAction;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlicePlannerTest {

    private static final ObservedSlice RIGHT = observed("a", slice(3, 1, devices(1)));
    private static final List<Device> FIRST = devices(300).subList(0, 128);
    private static final List<Device> SECOND = devices(300).subList(128, 256);
    private static final List<Device> THIRD = devices(300).subList(256, 300);

    @Test
    void aPoolThatIsMissingIsCreatedAtTheFirstGeneration() {
        assertThat(plan(publish(1))).containsExactly(new SliceAction.CreateSlice(0, slice(1, 1, devices(1))));
    }

    @Test
    void aPoolThatStandsIsLeftAlone() {
        assertThat(plan(publish(1), RIGHT)).isEmpty();
    }

    @Test
    void changedDevicesReplaceTheSliceAtANewGeneration() {
        ObservedSlice stale = observed("a", slice(3, 1, devices(2)));

        assertThat(plan(publish(1), stale))
                .containsExactly(new SliceAction.ReplaceSlice(stale, slice(4, 1, devices(1))));
    }

    @Test
    void aSliceWithAWrongCountIsReplacedAtANewGeneration() {
        ObservedSlice wrong = observed("a", slice(3, 2, devices(1)));

        assertThat(plan(publish(1), wrong))
                .containsExactly(new SliceAction.ReplaceSlice(wrong, slice(4, 1, devices(1))));
    }

    @Test
    void aSliceOfAnotherOwnerIsReplacedAtANewGeneration() {
        ObservedSlice foreign = foreign("a", slice(3, 1, devices(1)));

        assertThat(plan(publish(1), foreign))
                .containsExactly(new SliceAction.ReplaceSlice(foreign, slice(4, 1, devices(1))));
    }

    @Test
    void aSliceOfAnotherOwnerBesideTheRightOneIsDeleted() {
        ObservedSlice foreign = foreign("b", slice(3, 1, devices(1)));

        assertThat(plan(publish(1), RIGHT, foreign)).containsExactly(new SliceAction.DeleteSlice(foreign));
    }

    @Test
    void aTwinIsDeletedAndTheGenerationStays() {
        ObservedSlice twin = observed("b", RIGHT.content());

        assertThat(plan(publish(1), twin, RIGHT)).containsExactly(new SliceAction.DeleteSlice(twin));
    }

    @Test
    void aLeftoverOfAnOlderGenerationIsDeletedAndTheGenerationStays() {
        ObservedSlice old = observed("0", slice(2, 1, devices(2)));

        assertThat(plan(publish(1), old, RIGHT)).containsExactly(new SliceAction.DeleteSlice(old));
    }

    @Test
    void theRightDevicesAtAnOlderGenerationAreReplacedAboveTheNewest() {
        ObservedSlice wrong = observed("b", slice(5, 1, devices(2)));

        assertThat(plan(publish(1), RIGHT, wrong))
                .containsExactly(
                        new SliceAction.DeleteSlice(wrong),
                        new SliceAction.ReplaceSlice(RIGHT, slice(6, 1, devices(1))));
    }

    @Test
    void aSliceOfAnotherPoolIsDeletedAndNeverRenamed() {
        ObservedSlice other = observed("a", new PoolSlice("old-name", 1, 1, devices(1)));

        assertThat(plan(publish(1), other))
                .containsExactlyInAnyOrder(
                        new SliceAction.DeleteSlice(other), new SliceAction.CreateSlice(0, slice(1, 1, devices(1))));
    }

    @Test
    void theGenerationOfAnotherPoolSaysNothingOfOurs() {
        ObservedSlice newer = observed("b", new PoolSlice("old-name", 7, 1, devices(1)));
        ObservedSlice same = observed("c", new PoolSlice("old-name", 3, 1, devices(1)));

        assertThat(plan(publish(1), RIGHT, newer, same))
                .containsExactly(new SliceAction.DeleteSlice(newer), new SliceAction.DeleteSlice(same));
    }

    @Test
    void aMissingSliceOfSeveralComesBackAtTheSameGenerationBesideAnotherPool() {
        ObservedSlice other = observed("z", new PoolSlice("old-name", 4, 1, devices(1)));

        assertThat(plan(publish(300), observed("a", slice(4, 3, FIRST)), observed("c", slice(4, 3, THIRD)), other))
                .containsExactly(
                        new SliceAction.CreateSlice(1, slice(4, 3, SECOND)), new SliceAction.DeleteSlice(other));
    }

    @Test
    void manyDevicesAreCutIntoSlicesOf128() {
        assertThat(plan(publish(300)))
                .containsExactly(
                        new SliceAction.CreateSlice(0, slice(1, 3, FIRST)),
                        new SliceAction.CreateSlice(1, slice(1, 3, SECOND)),
                        new SliceAction.CreateSlice(2, slice(1, 3, THIRD)));
        assertThat(plan(publish(Device.MOST_PER_SLICE))).hasSize(1);
        assertThat(plan(publish(Device.MOST_PER_SLICE + 1))).hasSize(2);
    }

    @Test
    void taintedDevicesAreCutIntoSlicesOf64() {
        var pool = new ArrayList<>(devices(130));
        pool.set(70, Pools.tainted(pool.get(70)));

        assertThat(plan(new DesiredPool.Publish(Pools.POOL, pool)))
                .containsExactly(
                        new SliceAction.CreateSlice(0, slice(1, 3, pool.subList(0, 64))),
                        new SliceAction.CreateSlice(1, slice(1, 3, pool.subList(64, 128))),
                        new SliceAction.CreateSlice(2, slice(1, 3, pool.subList(128, 130))));
    }

    @Test
    void aTaintIsAChange() {
        List<Device> tainted = List.of(Pools.tainted(devices(1).getFirst()));

        assertThat(plan(new DesiredPool.Publish(Pools.POOL, tainted), RIGHT))
                .containsExactly(new SliceAction.ReplaceSlice(RIGHT, slice(4, 1, tainted)));
    }

    @Test
    void aSliceThatTellsItsPositionStaysAtIt() {
        ObservedSlice third = observed("00002-driver-node-x", slice(4, 3, devices(1)));
        ObservedSlice first = observed("00000-driver-node-z", slice(4, 3, devices(2)));
        ObservedSlice fourth = observed("00003-driver-node-a", slice(4, 3, devices(3)));
        ObservedSlice twin = observed("00002-driver-node-y", slice(4, 3, devices(4)));

        assertThat(plan(publish(300), fourth, third, first, twin))
                .containsExactly(
                        new SliceAction.DeleteSlice(twin),
                        new SliceAction.DeleteSlice(fourth),
                        new SliceAction.ReplaceSlice(first, slice(5, 3, FIRST)),
                        new SliceAction.CreateSlice(1, slice(5, 3, SECOND)),
                        new SliceAction.ReplaceSlice(third, slice(5, 3, THIRD)));
    }

    @Test
    void aSliceTellsItsPositionByFiveHexadecimalDigits() {
        assertThat(observed("0001f-driver-node-x", RIGHT.content()).index()).hasValue(31);
        assertThat(observed("node-1-driver-x", RIGHT.content()).index()).isEmpty();
        assertThat(observed("0001-driver", RIGHT.content()).index()).isEmpty();
        assertThat(observed("0001G-driver", RIGHT.content()).index()).isEmpty();
    }

    @Test
    void aSliceTakesWhatTheApiServerTakesAndNoMore() {
        assertThatThrownBy(() -> new DesiredPool.Publish(Pools.POOL, devices(1), 129, List.of()))
                .hasMessageContaining("1 to 128");
        assertThatThrownBy(() -> new DesiredPool.Publish(Pools.POOL, devices(1), 0, List.of()))
                .hasMessageContaining("1 to 128");
    }

    @Test
    void aPoolThatWasWipedPartlyIsRestoredAtTheSameGeneration() {
        assertThat(plan(publish(300), observed("b", slice(4, 3, SECOND))))
                .containsExactly(
                        new SliceAction.CreateSlice(0, slice(4, 3, FIRST)),
                        new SliceAction.CreateSlice(2, slice(4, 3, THIRD)));
    }

    @Test
    void oneChangedSliceOfSeveralRenewsThemAll() {
        ObservedSlice first = observed("a", slice(4, 3, FIRST));
        ObservedSlice bent = observed("b", slice(4, 3, devices(1)));
        ObservedSlice third = observed("c", slice(4, 3, THIRD));

        assertThat(plan(publish(300), third, bent, first))
                .containsExactly(
                        new SliceAction.ReplaceSlice(first, slice(5, 3, FIRST)),
                        new SliceAction.ReplaceSlice(bent, slice(5, 3, SECOND)),
                        new SliceAction.ReplaceSlice(third, slice(5, 3, THIRD)));
    }

    @Test
    void aPoolThatShrinksDeletesWhatItNoLongerNeeds() {
        ObservedSlice first = observed("a", slice(4, 2, FIRST));
        ObservedSlice second = observed("b", slice(4, 2, SECOND));

        assertThat(plan(publish(1), first, second))
                .containsExactly(
                        new SliceAction.DeleteSlice(second),
                        new SliceAction.ReplaceSlice(first, slice(5, 1, devices(1))));
    }

    @Test
    void aRenewalThatWasCutOffIsFinishedAtItsGeneration() {
        ObservedSlice renewed = observed("a", slice(5, 3, FIRST));
        ObservedSlice old = observed("b", slice(4, 3, SECOND));

        assertThat(plan(publish(300), renewed, old))
                .containsExactly(
                        new SliceAction.CreateSlice(1, slice(5, 3, SECOND)),
                        new SliceAction.CreateSlice(2, slice(5, 3, THIRD)),
                        new SliceAction.DeleteSlice(old));
    }

    @Test
    void aPoolWithoutDevicesHasNoSlices() {
        assertThat(plan(publish(0), RIGHT)).containsExactly(new SliceAction.DeleteSlice(RIGHT));
        assertThat(plan(publish(0))).isEmpty();
    }

    @Test
    void withdrawalDeletesEverySliceAlsoOfOtherOwnersAndPools() {
        ObservedSlice foreign = foreign("b", slice(1, 1, devices(1)));
        ObservedSlice other = observed("0", new PoolSlice("old-name", 1, 1, devices(1)));

        assertThat(plan(new DesiredPool.Withdraw(Pools.WHY), RIGHT, foreign, other))
                .containsExactly(
                        new SliceAction.DeleteSlice(other),
                        new SliceAction.DeleteSlice(RIGHT),
                        new SliceAction.DeleteSlice(foreign));
    }

    @Test
    void keepingTouchesNothing() {
        assertThat(plan(new DesiredPool.Keep(Pools.WHY), foreign("a", slice(1, 2, devices(3)))))
                .isEmpty();
    }

    private static List<SliceAction> plan(DesiredPool desired, ObservedSlice... observed) {
        return SlicePlanner.plan(desired, List.of(observed));
    }
}
