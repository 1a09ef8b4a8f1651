package io.imexagent.core.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.slice.SlicePlanner.SliceAction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;

/** Publication gets where it wants to be from wherever it is, and then rests. */
class SliceConvergenceTest {

    private static final List<Device> LARGE = Pools.devices(300);

    @Property
    void afterThePlannedCallsThereIsNothingLeftToPlan(
            @ForAll("desired") DesiredPool desired, @ForAll("observed") List<ObservedSlice> observed) {
        var server = new ModelServer(observed);
        List<SliceAction> actions = SlicePlanner.plan(desired, observed);

        server.apply(actions);

        assertThat(SlicePlanner.plan(desired, server.slices())).isEmpty();
        assertSettled(desired, observed, server.slices());
        Statistics.label("calls needed").collect(!actions.isEmpty());
        Statistics.label("calls needed")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 30));
    }

    @Property
    void callsThatWereCutOffAnywhereAreMadeUpForByTheNextPlan(
            @ForAll("desired") DesiredPool desired,
            @ForAll("observed") List<ObservedSlice> observed,
            @ForAll @IntRange(max = 4) int cut) {
        var server = new ModelServer(observed);
        List<SliceAction> actions = SlicePlanner.plan(desired, observed);
        server.apply(actions.subList(0, Math.min(cut, actions.size())));

        server.apply(SlicePlanner.plan(desired, server.slices()));

        assertThat(SlicePlanner.plan(desired, server.slices())).isEmpty();
        assertSettled(desired, observed, server.slices());
    }

    @Property
    void theNamesOfAPoolThatThisAgentMadeTellItsOrder(
            @ForAll @IntRange(max = 300) int before, @ForAll @IntRange(min = 1, max = 300) int after) {
        var server = new ModelServer(List.of());
        server.apply(SlicePlanner.plan(Pools.publish(before), server.slices()));

        server.apply(SlicePlanner.plan(Pools.publish(after), server.slices()));

        assertThat(server.slices().stream().flatMap(slice -> slice.content().devices().stream()))
                .containsExactlyElementsOf(Pools.devices(after));
        for (int index = 0; index < server.slices().size(); index++) {
            assertThat(server.slices().get(index).index()).hasValue(index);
        }
    }

    @Property
    void theOrderOfTheObservedSlicesDoesNotMatter(
            @ForAll("desired") DesiredPool desired, @ForAll("observed") List<ObservedSlice> observed) {
        assertThat(SlicePlanner.plan(desired, observed.reversed())).isEqualTo(SlicePlanner.plan(desired, observed));
    }

    @Property
    void whatIsLostOrAddedBesideAPublishedPoolIsMendedAtItsGeneration(
            @ForAll @IntRange(min = 1, max = 300) int devices,
            @ForAll @IntRange(max = 2) int lost,
            @ForAll("strangers") List<ObservedSlice> strangers) {
        var server = new ModelServer(List.of());
        server.apply(SlicePlanner.plan(Pools.publish(1), List.of()));
        server.apply(SlicePlanner.plan(Pools.publish(devices), server.slices()));
        long generation = server.slices().getFirst().content().generation();
        var observed = new ArrayList<>(server.slices());
        for (int i = 0; i < lost && observed.size() > 1; i++) {
            observed.removeLast();
        }
        observed.addAll(strangers);

        var mended = new ModelServer(observed);
        mended.apply(SlicePlanner.plan(Pools.publish(devices), observed));

        assertThat(mended.slices())
                .extracting(slice -> slice.content().generation())
                .containsOnly(generation);
        assertThat(SlicePlanner.plan(Pools.publish(devices), mended.slices())).isEmpty();
    }

    @Property
    void otherContentGetsAGenerationAboveEveryOneOfThePool(
            @ForAll("observed") List<ObservedSlice> observed, @ForAll @IntRange(min = 301, max = 400) int devices) {
        long newest = observed.stream()
                .filter(slice -> slice.content().pool().equals(Pools.POOL))
                .mapToLong(slice -> slice.content().generation())
                .max()
                .orElse(0);
        var server = new ModelServer(observed);

        server.apply(SlicePlanner.plan(
                new DesiredPool.Publish(Pools.POOL, Pools.devices(devices).subList(200, devices)), observed));

        assertThat(server.slices())
                .isNotEmpty()
                .allSatisfy(slice -> assertThat(slice.content().generation()).isGreaterThan(newest));
    }

    @Provide
    Arbitrary<DesiredPool> desired() {
        return Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.of(0, 1, 2, 128, 129, 256, 300).map(Pools::publish)),
                Tuple.of(1, Arbitraries.just(new DesiredPool.Withdraw(Pools.WHY))),
                Tuple.of(1, Arbitraries.just(new DesiredPool.Keep(Pools.WHY))));
    }

    @Provide
    Arbitrary<List<ObservedSlice>> observed() {
        return slices(
                Arbitraries.of(Pools.POOL, Pools.POOL, Pools.POOL, "another"),
                Arbitraries.longs().between(0, 3));
    }

    /** What may stand beside a published pool of generation 2 without a claim on its generation. */
    @Provide
    Arbitrary<List<ObservedSlice>> strangers() {
        return Combinators.combine(
                        slices(Arbitraries.just("another"), Arbitraries.longs().between(0, 9)),
                        slices(Arbitraries.just(Pools.POOL), Arbitraries.just(0L)))
                .as((others, old) -> {
                    var strangers = new ArrayList<>(others);
                    old.forEach(slice -> strangers.add(new ObservedSlice(
                            "old-" + slice.name(), slice.resourceVersion(), slice.ownedByNode(), slice.content())));
                    return strangers;
                });
    }

    private static Arbitrary<List<ObservedSlice>> slices(Arbitrary<String> pools, Arbitrary<Long> generations) {
        Arbitrary<PoolSlice> contents = Combinators.combine(
                        pools, generations, Arbitraries.integers().between(0, 3), deviceLists())
                .as(PoolSlice::new);
        return Combinators.combine(contents, Arbitraries.of(true, true, true, false))
                .as((content, owned) -> new ObservedSlice("", "rv", owned, content))
                .list()
                .ofMaxSize(5)
                .map(SliceConvergenceTest::named);
    }

    private static Arbitrary<List<Device>> deviceLists() {
        return Arbitraries.of(
                List.of(),
                LARGE.subList(0, 1),
                LARGE.subList(0, 2),
                LARGE.subList(0, 128),
                LARGE.subList(128, 129),
                LARGE.subList(128, 256),
                LARGE.subList(256, 300));
    }

    private static List<ObservedSlice> named(List<ObservedSlice> slices) {
        var named = new ArrayList<ObservedSlice>();
        for (ObservedSlice slice : slices) {
            // Names of this agent's make, with positions in an order of their own, and of another make.
            int number = named.size();
            String name = number % 2 == 0 ? "%05x-slice-%d".formatted(4 - number, number) : "slice-" + number;
            named.add(new ObservedSlice(name, "rv", slice.ownedByNode(), slice.content()));
        }
        return named;
    }

    private static void assertSettled(DesiredPool desired, List<ObservedSlice> before, List<ObservedSlice> after) {
        switch (desired) {
            case DesiredPool.Keep keep -> assertThat(after).containsExactlyInAnyOrderElementsOf(before);
            case DesiredPool.Withdraw withdraw -> assertThat(after).isEmpty();
            case DesiredPool.Publish publish -> assertPublished(publish, after);
        }
    }

    private static void assertPublished(DesiredPool.Publish desired, List<ObservedSlice> after) {
        assertThat(after).allSatisfy(slice -> {
            assertThat(slice.ownedByNode()).isTrue();
            assertThat(slice.content().pool()).isEqualTo(desired.pool());
            assertThat(slice.content().sliceCount()).isEqualTo(after.size());
            assertThat(slice.content().generation())
                    .isEqualTo(after.getFirst().content().generation());
        });
        assertThat(after.stream().map(slice -> slice.content().devices()).flatMap(Collection::stream))
                .containsExactlyInAnyOrderElementsOf(desired.devices());
    }
}
