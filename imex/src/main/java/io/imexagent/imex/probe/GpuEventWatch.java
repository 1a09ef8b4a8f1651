package io.imexagent.imex.probe;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory.XidCause;
import io.imexagent.core.retry.Backoff;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.NvmlEventSet;
import io.imexagent.nvml.NvmlEventSet.EventType;
import io.imexagent.nvml.NvmlEventSet.NvmlEvent;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.NvmlSession;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for events of GPUs: Xids, a GPU that has become unusable, a GPU that needs recovery. An Xid counts against
 * the devices; any other event makes the agent read the node at once.
 *
 * <p>NVML delivers only events after a registration, so the session stays open, on a thread of its own, the only one
 * that hangs with the driver. An open session keeps the driver from being unloaded. It ends within seconds after the
 * switch goes off, and after the driver's library is replaced, since the new one cannot be loaded before.
 */
public final class GpuEventWatch implements AutoCloseable {

    /**
     * The timeout of one wait for events, and so the longest time that the driver stays open after the switch goes off.
     */
    static final Duration WAIT = Duration.ofSeconds(5);

    /** The pause before the second try to listen. */
    public static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(2);
    private static final Set<EventType> ALL = EnumSet.allOf(EventType.class);
    private static final Logger LOG = LoggerFactory.getLogger(GpuEventWatch.class);

    private final Nvml nvml;
    private final BooleanSupplier enabled;
    private final Runnable refresh;
    private final GpuEventObserver observer;
    private final XidLog log;
    private final InstantSource clock;
    private final Backoff pauses;
    private final OpenXids xids = new OpenXids();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Signal wake = new Signal();
    private final Thread thread;
    private volatile boolean closed;
    private String lastFault = "";

    /**
     * Creates a watch that has not begun. {@code enabled} may change at any time; {@code refresh} makes the agent read
     * the node at once; the pauses between failed tries start with {@code firstPause} and grow.
     */
    public GpuEventWatch(
            Nvml nvml,
            BooleanSupplier enabled,
            Runnable refresh,
            GpuEventObserver observer,
            XidLog log,
            InstantSource clock,
            Duration firstPause) {
        this.nvml = nvml;
        this.enabled = enabled;
        this.refresh = refresh;
        this.observer = observer;
        this.log = log;
        this.clock = clock;
        this.pauses = new Backoff(firstPause, LONGEST_PAUSE, LONGEST_PAUSE);
        this.thread = Thread.ofPlatform().name("nvml-events").daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Processes a reading of the node, which may show that a GPU has recovered. */
    public void read(NodeInventory inventory) {
        if (xids.read(inventory)) {
            listeners.forEach(Runnable::run);
        }
    }

    /** The Xid that counts against the devices, in one line; empty if none does. Never blocks. */
    public Optional<String> complaint() {
        return xids.complaint();
    }

    /** Adds a listener, which is called after each change of the complaint and returns at once. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** Follows a possible change of the switch. */
    public void follow() {
        wake.raise();
    }

    /** Ends the watch; a thread that hangs in the driver stays there. */
    @Override
    public void close() {
        closed = true;
        wake.raise();
    }

    private void run() {
        int failures = 0;
        try {
            for (long seen = wake.raised(); !closed; seen = wake.raised()) {
                if (!enabled.getAsBoolean()) {
                    wake.await(seen, LONGEST_PAUSE);
                } else if (listenOnce()) {
                    failures = 0;
                } else {
                    wake.await(seen, pauses.after(++failures, () -> 1));
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Listens until the switch goes off; false if listening is not possible at present. */
    private boolean listenOnce() {
        try (NvmlSession session = nvml.open();
                NvmlEventSet events = session.createEventSet()) {
            int registered = register(session, events);
            if (registered == 0) {
                reportFault("no GPU of this node reports events");
                return false;
            }
            // While a reading hangs in a library that was replaced, the new one cannot be loaded.
            boolean old = session.outdated();
            if (old) {
                reportFault("the driver's library was replaced, and the old one is still in use");
            } else {
                LOG.info("listening for events of GPUs gpus={}", registered);
                lastFault = "";
            }
            observer.listening(true);
            log.listening(clock.instant());
            do {
                events.await(WAIT).ifPresent(this::take);
            } while (!closed && enabled.getAsBoolean() && !session.outdated());
            if (!old) {
                LOG.info("stopped listening for events of GPUs, the driver is released");
            }
            return !old;
        } catch (NvmlException failure) {
            reportFault(String.valueOf(failure.getMessage()));
            return false;
        } catch (RuntimeException defect) {
            LOG.error("listening for events of GPUs failed by a defect", defect);
            return false;
        } finally {
            observer.listening(false);
        }
    }

    private int register(NvmlSession session, NvmlEventSet events) throws NvmlException {
        int registered = 0;
        int count = session.deviceCount();
        for (int index = 0; index < count; index++) {
            registered += register(events, index) ? 1 : 0;
        }
        return registered;
    }

    /**
     * Registers for all events of the GPU, or for Xids only if the driver lacks the newer kinds. False if it supports
     * neither, or the GPU is lost and reports nothing.
     */
    private static boolean register(NvmlEventSet events, int index) throws NvmlException {
        for (Set<EventType> types : List.of(ALL, Set.of(EventType.XID))) {
            try {
                events.register(index, types);
                return true;
            } catch (NvmlException.CallFailed failure) {
                if (failure.result().is(NvmlReturn.GPU_IS_LOST)) {
                    return false;
                }
                if (!failure.result().is(NvmlReturn.NOT_SUPPORTED)
                        && !failure.result().is(NvmlReturn.INVALID_ARGUMENT)) {
                    throw failure;
                }
            }
        }
        return false;
    }

    private void take(NvmlEvent event) {
        OptionalInt index = event.deviceIndex();
        String gpu = index.isPresent() ? Integer.toString(index.getAsInt()) : "unknown";
        if (event.type().is(EventType.XID)) {
            LOG.warn(
                    "GPU reported an Xid gpu={} xid={} of={}",
                    gpu,
                    event.data(),
                    OpenXids.cause(event.data()).name().toLowerCase(Locale.ROOT));
            observer.xid(gpu, event.data());
            log.add(index, event.data(), clock.instant());
            if (xids.report(index, event.data(), clock.instant())) {
                listeners.forEach(Runnable::run);
            }
        } else {
            LOG.warn(
                    "GPU reported an event gpu={} event={} data={}",
                    gpu,
                    event.type().word("event"),
                    event.data());
        }
        refresh.run();
    }

    private void reportFault(String fault) {
        if (!fault.equals(lastFault)) {
            lastFault = fault;
            LOG.info("not listening for events of GPUs, trying again reason=\"{}\"", fault);
        }
    }

    /** Receives the events of GPUs, for metrics. Called on the listening thread; must not block. */
    public interface GpuEventObserver {

        void listening(boolean listens);

        /** A GPU, by NVML's index, reported an Xid; {@code unknown} if the driver did not name a listed GPU. */
        void xid(String gpu, long number);
    }

    /**
     * The Xids that still count. Each counts until a later reading reports that its GPU needs no recovery, or until the
     * driver is unloaded. A GPU that cannot report recovery counts as working again only with a new driver or agent.
     */
    static final class OpenXids {

        /**
         * Xids that a program on the GPU causes and that leave the GPU as it was: 13 and 31 are faulty accesses of the
         * program, 43 and 45 its end, 68 an error of a video decoder, 109 one of a context switch. The list is that of
         * NVIDIA's device plugin.
         */
        private static final Set<Long> OF_PROGRAMS = Set.of(13L, 31L, 43L, 45L, 68L, 109L);

        private final SortedMap<Integer, Xid> standing = new TreeMap<>();

        /** The cause of an Xid; one that a program causes does not count against the GPU. */
        static XidCause cause(long number) {
            return OF_PROGRAMS.contains(number) ? XidCause.PROGRAM : XidCause.GPU;
        }

        /** Processes an Xid; returns whether that changes what counts. An Xid without a GPU does not count. */
        synchronized boolean report(OptionalInt gpu, long number, Instant at) {
            if (gpu.isEmpty() || cause(number) == XidCause.PROGRAM) {
                return false;
            }
            Xid before = standing.put(gpu.getAsInt(), new Xid(number, at));
            return before == null || before.number() != number;
        }

        /** Processes a reading of the node; returns whether that changes what counts. */
        synchronized boolean read(NodeInventory inventory) {
            if (inventory.driver() instanceof DriverState.AbsentDriver) {
                boolean had = !standing.isEmpty();
                standing.clear();
                return had;
            }
            Set<Integer> recovered = inventory.gpus().stream()
                    .filter(gpu -> gpu.health().recoveryAction().equals(Optional.of(GpuHealth.NO_ACTION)))
                    .map(Gpu::index)
                    .collect(Collectors.toSet());
            return standing.entrySet()
                    .removeIf(xid -> recovered.contains(xid.getKey())
                            && inventory.takenAt().isAfter(xid.getValue().at()));
        }

        synchronized Optional<String> complaint() {
            return standing.entrySet().stream()
                    .findFirst()
                    .map(first -> "GPU " + first.getKey() + " reported Xid "
                            + first.getValue().number() + " at "
                            + first.getValue().at()
                            + "; look at the kernel log for NVRM messages, then drain the node and recover the GPU");
        }

        private record Xid(long number, Instant at) {}
    }
}
