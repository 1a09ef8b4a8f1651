package io.imexagent.e2e.fabric;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Simulated time: what is due happens in its order, at once. Everything at random comes from one seed. */
final class Timeline {

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::sequence));
    private final SplittableRandom random;
    private long now;
    private long sequence;

    private record Event(long at, long sequence, Runnable happening) {}

    Timeline(long seed) {
        random = new SplittableRandom(seed);
    }

    SplittableRandom random() {
        return random;
    }

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    /** Lets something happen after a delay. */
    void after(Duration delay, Runnable happening) {
        events.add(new Event(now + delay.toNanos(), sequence++, happening));
    }

    /** A time of at least this, and mostly not much more: what is above it is distributed exponentially. */
    Duration about(Duration least, Duration mean) {
        double above = -Math.log(1 - random.nextDouble()) * mean.toNanos();
        return least.plusNanos((long) above);
    }

    /** A call that is on its way for as long as {@link #about} says of one mean time, and its answer for as long. */
    <A> void call(int millis, Supplier<A> server, Consumer<A> answered) {
        Duration oneWay = about(Duration.ofMillis(millis), Duration.ofMillis(millis));
        after(oneWay, () -> {
            A answer = server.get();
            after(oneWay, () -> answered.accept(answer));
        });
    }

    /** Lets happen what is due until then. */
    void runUntil(Duration end) {
        while (!events.isEmpty() && events.peek().at() <= end.toNanos()) {
            Event next = events.remove();
            now = next.at();
            next.happening().run();
        }
        now = Math.max(now, end.toNanos());
    }
}
