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
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One rank of a run. {@code boot} is the boot ID of its node, {@code progress} gets each round that is done, as one line of
 * JSON.
 */
public record Rank(
        RankSettings settings,
        RankMemory memory,
        Optional<String> boot,
        HandleClient.Addresses addresses,
        InetSocketAddress listen,
        SecureRandom random,
        Consumer<String> progress) {

    private static final Duration RETRY = Duration.ofMillis(300);
    private static final PairState HUNG_BEFORE = new PairState.UntriedPair("an import from the same rank hung before");

    /** The rank of a pod, whose peers are found by name. */
    public static Rank of(RankSettings settings, RankMemory memory, Optional<String> boot, Consumer<String> progress) {
        return new Rank(
                settings,
                memory,
                boot,
                other -> new InetSocketAddress(InetAddress.getByName(settings.hostOf(other)), settings.port()),
                new InetSocketAddress(settings.port()),
                new SecureRandom(),
                progress);
    }

    /** Takes part in the run and returns its row; fails where it cannot even start. */
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
        var client = new HandleClient(token, settings.rank(), addresses, random);
        try (var server = new HandleServer(
                listen, token, settings.rank(), settings.ranks(), new Frame.Offer(life, offers), random)) {
            List<PeerCells> peers = fault.isPresent() ? List.of() : imports(client, offers);
            done(client, server);
            return new RankRow(
                    settings.run(),
                    settings.rank(),
                    life,
                    settings.level().word(),
                    boot,
                    memory.driver(),
                    offers.stream().map(Rank::exported).toList(),
                    fault,
                    peers);
        }
    }

    private static ExportedGpu exported(GpuOffer offer) {
        return switch (offer) {
            case GpuOffer.GivenGpu(String uuid, RankMemory.MemoryOffer _) -> new ExportedGpu(uuid, Optional.empty());
            case GpuOffer.RefusedGpu(String uuid, PairState failure) -> new ExportedGpu(uuid, Optional.of(failure));
        };
    }

    private List<PeerCells> imports(HandleClient client, List<GpuOffer> own) throws InterruptedException {
        long gathered = System.nanoTime() + settings.gather().toNanos();
        List<PeerCells> peers = new ArrayList<>(Collections.nCopies(settings.ranks(), new PeerCells("", List.of())));
        List<Integer> exporters = new RingPlan(settings.ranks()).exporters(settings.rank());
        for (int round = 0; round < exporters.size(); round++) {
            int exporter = exporters.get(round);
            peers.set(exporter, importFrom(client, exporter, own.size(), gathered));
            progress.accept("{\"round\":" + (round + 1) + ",\"of\":" + exporters.size() + "}");
        }
        return peers;
    }

    /** Imports what a rank offers; one that does not answer is tried until all should be there, and once after that. */
    private PeerCells importFrom(HandleClient client, int exporter, int gpus, long gathered)
            throws InterruptedException {
        while (true) {
            try (HandleClient.OpenOffer open = client.open(exporter)) {
                return imported(open.offer(), gpus);
            } catch (IOException e) {
                if (System.nanoTime() > gathered) {
                    return PeerCells.untried("its rank gave no handles in time");
                }
                TimeUnit.MILLISECONDS.sleep(RETRY.toMillis());
            }
        }
    }

    private PeerCells imported(Frame.Offer offer, int gpus) throws InterruptedException {
        if (offer.gpus().isEmpty()) {
            return PeerCells.untried("its rank has no memory to offer");
        }
        if (offer.gpus().size() != settings.gpus()) {
            return PeerCells.untried(
                    "its rank offers memory of " + offer.gpus().size() + " GPUs, not of " + settings.gpus());
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

    private PairState imported(GpuOffer gpu, int own) throws InterruptedException {
        return switch (gpu) {
            case GpuOffer.GivenGpu(String _, RankMemory.MemoryOffer offered) -> memory.importOn(own, offered);
            case GpuOffer.RefusedGpu(String _, PairState failure) -> failure;
        };
    }

    /** Says to all others that this rank is done, and waits until they are, or for as long as a rank keeps its memory. */
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
        for (Thread one : saying) {
            // All are done, so all are there: what is still on its way arrives at once.
            if (all) {
                one.join(HandleServer.REQUEST);
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
