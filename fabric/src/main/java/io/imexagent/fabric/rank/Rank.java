package io.imexagent.fabric.rank;

import io.imexagent.fabric.rank.RankMemory.GpuOffer;
import io.imexagent.fabric.rank.RankMemory.RankFaultException;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import io.imexagent.fabric.result.RingPlan;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One rank of a run. {@code boot} is the boot ID of its node. {@code progress} receives a line of JSON for each
 * finished round, and {@code output} the row each time that it has new content.
 */
public record Rank(
        RankSettings settings,
        RankMemory memory,
        Optional<String> boot,
        HandleClient.Addresses addresses,
        InetSocketAddress listen,
        SecureRandom random,
        Consumer<String> progress,
        RowOutput output) {

    private static final Duration RETRY = Duration.ofMillis(300);
    private static final PeerCells ABSENT = PeerCells.untried("its rank gave no handles in time");
    private static final PairState HUNG_BEFORE = new PairState.UntriedPair("an import from the same rank hung before");

    /** Writes a rank's row and thereby replaces the previous one. */
    @FunctionalInterface
    public interface RowOutput {
        void write(RankRow row) throws IOException;
    }

    /** Returns the rank of a pod, which finds its peers by host name. */
    public static Rank of(
            RankSettings settings,
            RankMemory memory,
            Optional<String> boot,
            Consumer<String> progress,
            RowOutput output) {
        return new Rank(
                settings,
                memory,
                boot,
                other -> new InetSocketAddress(InetAddress.getByName(settings.hostOf(other)), settings.port()),
                settings.address()
                        .map(address -> new InetSocketAddress(address, settings.port()))
                        .orElseGet(() -> new InetSocketAddress(settings.port())),
                new SecureRandom(),
                progress,
                output);
    }

    /** Takes part in the run and returns the row; fails if the rank cannot start, or if its row cannot be written. */
    public RankRow run() throws IOException, InterruptedException {
        RunToken token = settings.readToken();
        byte[] drawn = new byte[3];
        random.nextBytes(drawn);
        String life = HexFormat.of().formatHex(drawn);
        List<GpuOffer> offers;
        Optional<String> fault;
        try {
            offers = memory.export();
            if (offers.size() != settings.gpus()) {
                throw new RankFaultException(
                        "libcuda shows " + offers.size() + " GPUs in the rank's container, and its pod" + " requests "
                                + settings.gpus() + "; look at what the NVIDIA runtime or the claim injects there");
            }
            fault = Optional.empty();
        } catch (RankFaultException e) {
            offers = List.of();
            fault = Optional.of(String.valueOf(e.getMessage()));
        }
        var part = new OwnPart(life, offers, fault);
        var client = new HandleClient(token, settings.rank(), addresses, random);
        try (var server = new HandleServer(
                listen, token, settings.rank(), settings.ranks(), new Frame.Offer(life, offers), random)) {
            RankRow row = fault.isPresent() ? row(part, List.of()) : imports(client, part);
            done(client, server);
            return row;
        }
    }

    /** This rank's part in the run: the ID of its process, and its memory or its fault. */
    private record OwnPart(String life, List<GpuOffer> offers, Optional<String> fault) {}

    /** Writes the row with the results so far, so that they survive if this process ends early, and returns it. */
    private RankRow row(OwnPart part, List<PeerCells> peers) throws IOException {
        var row = new RankRow(
                settings.run(),
                settings.rank(),
                part.life(),
                settings.level().word(),
                boot,
                memory.driver(),
                part.offers().stream().map(Rank::exported).toList(),
                part.fault(),
                peers);
        output.write(row);
        return row;
    }

    private static ExportedGpu exported(GpuOffer offer) {
        return switch (offer) {
            case GpuOffer.GivenGpu(String uuid, RankMemory.MemoryOffer _) -> new ExportedGpu(uuid, Optional.empty());
            case GpuOffer.RefusedGpu(String uuid, PairState failure) -> new ExportedGpu(uuid, Optional.of(failure));
        };
    }

    /**
     * Imports from the other ranks in the order of the ring. A rank that serves no handles does not delay the others:
     * it is tried again after them until the gather time is over, and once after that. The row is written as soon as it
     * has new content.
     */
    private RankRow imports(HandleClient client, OwnPart part) throws IOException, InterruptedException {
        long gathered = System.nanoTime() + settings.gather().toNanos();
        var found = new Found(new ArrayList<>(Collections.nCopies(settings.ranks(), ABSENT)), new HashMap<>());
        found.peers().set(settings.rank(), new PeerCells("", List.of()));
        handles(part.offers()).forEach(handle -> found.exporters().put(handle, settings.rank()));
        List<Integer> absent = new RingPlan(settings.ranks()).exporters(settings.rank());
        Optional<RankRow> row = Optional.empty();
        for (boolean last = false; !absent.isEmpty() && !last; ) {
            last = System.nanoTime() > gathered;
            List<Integer> late = importFrom(absent, client, part, found);
            if (row.isEmpty() || late.size() < absent.size()) {
                row = Optional.of(row(part, found.peers()));
            }
            absent = late;
            if (!absent.isEmpty() && !last) {
                TimeUnit.MILLISECONDS.sleep(RETRY.toMillis());
            }
        }
        return row.orElseThrow();
    }

    /** The results of imports so far for each rank, and the rank that offered each handle. */
    private record Found(List<PeerCells> peers, Map<String, Integer> exporters) {}

    /** Imports the offers of these ranks, one after the other; returns the ranks that served no handles. */
    private List<Integer> importFrom(List<Integer> exporters, HandleClient client, OwnPart part, Found found)
            throws InterruptedException {
        List<Integer> late = new ArrayList<>();
        for (int exporter : exporters) {
            memory.prepareImports();
            try (HandleClient.OpenOffer open = client.open(exporter)) {
                found.peers()
                        .set(
                                exporter,
                                imported(exporter, open.offer(), part.offers().size(), found));
            } catch (IOException gaveNone) {
                late.add(exporter);
                continue;
            }
            int done = settings.ranks() - 1 - late.size() - (exporters.size() - exporters.indexOf(exporter) - 1);
            progress.accept("{\"round\":" + done + ",\"of\":" + (settings.ranks() - 1) + "}");
        }
        return late;
    }

    private PeerCells imported(int exporter, Frame.Offer offer, int gpus, Found found) throws InterruptedException {
        if (offer.gpus().isEmpty()) {
            return PeerCells.untried("its rank has no memory to offer");
        }
        if (offer.gpus().size() != settings.gpus()) {
            return PeerCells.untried(
                    "its rank offers memory of " + offer.gpus().size() + " GPUs, not of " + settings.gpus());
        }
        Optional<PeerCells> twice = offeredTwice(exporter, handles(offer.gpus()), found);
        if (twice.isPresent()) {
            return twice.get();
        }
        List<PairState> cells = new ArrayList<>();
        boolean hung = false;
        for (GpuOffer gpu : offer.gpus()) {
            for (int own = 0; own < gpus; own++) {
                PairState cell = hung ? HUNG_BEFORE : imported(gpu, own);
                hung |= cell instanceof PairState.TimedOutPair;
                cells.add(cell);
            }
        }
        return new PeerCells(offer.life(), cells);
    }

    /**
     * Detects a handle that was offered twice. Handles are unique, so neither of two ranks with the same handle is
     * believed.
     */
    private Optional<PeerCells> offeredTwice(int exporter, List<String> handles, Found found) {
        if (Set.copyOf(handles).size() < handles.size()) {
            return Optional.of(PeerCells.untried("its rank offers the same memory for two GPUs"));
        }
        for (String handle : handles) {
            int first = found.exporters().merge(handle, exporter, (before, now) -> before);
            if (first != exporter) {
                PeerCells twice = PeerCells.untried("ranks " + Math.min(first, exporter) + " and "
                        + Math.max(first, exporter) + " offer the same memory");
                if (first != settings.rank()) {
                    found.peers().set(first, twice);
                }
                return Optional.of(twice);
            }
        }
        return Optional.empty();
    }

    private static List<String> handles(List<GpuOffer> offers) {
        return offers.stream()
                .flatMap(gpu -> gpu instanceof GpuOffer.GivenGpu(String _, RankMemory.MemoryOffer offered)
                        ? Stream.of(offered.handle())
                        : Stream.empty())
                .toList();
    }

    private PairState imported(GpuOffer gpu, int own) throws InterruptedException {
        return switch (gpu) {
            case GpuOffer.GivenGpu(String _, RankMemory.MemoryOffer offered) -> memory.importOn(own, offered);
            case GpuOffer.RefusedGpu(String _, PairState failure) -> failure;
        };
    }

    /**
     * Reports to all other ranks that this rank is done. Waits until they are done too, at most for the time that a
     * rank keeps its memory.
     */
    private void done(HandleClient client, HandleServer server) throws InterruptedException {
        long end = System.nanoTime() + settings.hold().toNanos();
        List<Thread> saying = new ArrayList<>();
        for (int other = 0; other < settings.ranks(); other++) {
            if (other != settings.rank()) {
                int peer = other;
                saying.add(Thread.ofVirtual().name("fabric-done").start(() -> sayDone(client, peer, end)));
            }
        }
        boolean all = server.awaitDone(settings.hold());
        long answered = System.nanoTime() + HandleServer.REQUEST.toNanos();
        for (Thread one : saying) {
            // All ranks are done and thus reachable, so that remaining reports arrive at once.
            if (all) {
                one.join(Duration.ofNanos(Math.max(1, answered - System.nanoTime())));
            }
            one.interrupt();
        }
    }

    private static void sayDone(HandleClient client, int peer, long end) {
        while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
            try {
                client.done(peer);
                return;
            } catch (IOException absent) {
                try {
                    TimeUnit.MILLISECONDS.sleep(RETRY.toMillis());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
