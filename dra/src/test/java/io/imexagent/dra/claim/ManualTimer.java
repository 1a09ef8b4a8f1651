package io.imexagent.dra.claim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Time that stands still until a test moves it: a timer, the monotonic clock and the time of day in one. */
public final class ManualTimer implements Timer, LongSupplier, InstantSource {

    public static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private final List<Task> tasks = new ArrayList<>();
    private long nanos = 1_000_000;
    private Instant day = NOON;

    @Override
    public synchronized Pending after(Duration delay, Runnable work) {
        var task = new Task(nanos + delay.toNanos(), work);
        tasks.add(task);
        return () -> cancel(task);
    }

    private synchronized void cancel(Task task) {
        tasks.removeIf(other -> other.equals(task));
    }

    /** Moves time, and runs what comes due in its order. */
    public void advance(Duration by) {
        long until;
        synchronized (this) {
            until = nanos + by.toNanos();
            day = day.plus(by);
        }
        Optional<Task> due = next(until);
        while (due.isPresent()) {
            due.get().work().run();
            due = next(until);
        }
        synchronized (this) {
            nanos = until;
        }
    }

    /** Lets the time of day jump, as somebody who sets the clock does. */
    public synchronized void jump(Duration by) {
        day = day.plus(by);
    }

    private synchronized Optional<Task> next(long until) {
        Optional<Task> due = tasks.stream().filter(task -> task.at() <= until).min(Comparator.comparingLong(Task::at));
        due.ifPresent(task -> {
            tasks.remove(task);
            nanos = Math.max(nanos, task.at());
        });
        return due;
    }

    /** How long until the task that comes next; empty where there is none. */
    public synchronized Optional<Duration> untilNext() {
        return tasks.stream().map(Task::at).min(Long::compare).map(at -> Duration.ofNanos(at - nanos));
    }

    /** How many tasks wait. */
    public synchronized int waiting() {
        return tasks.size();
    }

    @Override
    public synchronized long getAsLong() {
        return nanos;
    }

    @Override
    public synchronized Instant instant() {
        return day;
    }

    private record Task(long at, Runnable work) {}
}
