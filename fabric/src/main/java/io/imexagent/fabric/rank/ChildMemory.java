package io.imexagent.fabric.rank;

import io.imexagent.fabric.child.ChildAnswer;
import io.imexagent.fabric.child.ChildAnswer.CallRefused;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.child.ChildAnswer.ChildTimedOut;
import io.imexagent.fabric.child.ChildAnswer.ChildUnusable;
import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.FabricChild;
import io.imexagent.fabric.child.FabricExport;
import io.imexagent.fabric.child.FabricGpu;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.fabric.result.PairState;
import io.imexagent.fabric.result.PairState.FailedPair;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.TimedOutPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory of a rank, through two children: one exports memory and keeps it, the other imports and is replaced after
 * it was killed. For one thread.
 */
public final class ChildMemory implements RankMemory {

    /** The first line of {@code /proc/driver/nvidia/version}, which the NVIDIA runtime provides to containers. */
    private static final Pattern DRIVER = Pattern.compile("Kernel Module.*? ([0-9]+(?:\\.[0-9]+)+) ");

    /** After this many failed starts of the importing child, no further start is tried for the other ranks. */
    private static final int MOST_STARTS = 2;

    private static final int NONCE = 16;

    private final ChildLauncher launcher;
    private final ChildDeadlines deadlines;
    private final FabricLevel level;
    private final Path driverRoot;
    private final SecureRandom random;
    private final List<FabricGpu> gpus = new ArrayList<>();

    private Optional<FabricChild> exporter = Optional.empty();
    private Optional<FabricChild> importer = Optional.empty();
    private int failedStarts;
    private String lastFailure = "";

    /** Uses children of this launcher, which load libcuda of the driver below this root. */
    public ChildMemory(
            ChildLauncher launcher, ChildDeadlines deadlines, FabricLevel level, Path driverRoot, SecureRandom random) {
        this.launcher = launcher;
        this.deadlines = deadlines;
        this.level = level;
        this.driverRoot = driverRoot;
        this.random = random;
    }

    @Override
    public List<GpuOffer> export() throws RankFaultException, InterruptedException {
        FabricChild child;
        try {
            child = FabricChild.launch(launcher, deadlines);
        } catch (IOException e) {
            throw new RankFaultException("the rank cannot start a process: " + e.getMessage());
        }
        exporter = Optional.of(child);
        ChildAnswer<List<FabricGpu>> opened = child.open(driverRoot);
        if (!(opened instanceof ChildSucceeded<List<FabricGpu>>(List<FabricGpu> shown))) {
            throw new RankFaultException(opened.words());
        }
        if (shown.isEmpty()) {
            throw new RankFaultException("libcuda shows no GPU in the rank's container; look at what the pod asks for");
        }
        gpus.addAll(shown);
        List<GpuOffer> offers = new ArrayList<>();
        for (FabricGpu gpu : gpus) {
            offers.add(export(child, gpu));
        }
        return offers;
    }

    private GpuOffer export(FabricChild child, FabricGpu gpu) throws InterruptedException {
        if (!gpu.fabricHandles()) {
            return new GpuOffer.RefusedGpu(
                    gpu.uuid(), new UntriedPair("the exporter's GPU has no fabric handles (attribute 128 of libcuda)"));
        }
        byte[] drawn = new byte[NONCE];
        random.nextBytes(drawn);
        String nonce = HexFormat.of().formatHex(drawn);
        return switch (child.export(gpu.uuid(), level, nonce)) {
            case ChildSucceeded<FabricExport>(FabricExport export) ->
                new GpuOffer.GivenGpu(
                        gpu.uuid(),
                        new MemoryOffer(
                                export.handle().hex(), export.bytes(), level.includes(FabricLevel.DATA) ? nonce : ""));
            case ChildAnswer<FabricExport> failed -> new GpuOffer.RefusedGpu(gpu.uuid(), state(failed));
        };
    }

    @Override
    public void prepareImports() throws InterruptedException {
        Optional<FabricChild> _ = importer();
    }

    @Override
    public PairState importOn(int gpu, MemoryOffer offer) throws InterruptedException {
        if (level.includes(FabricLevel.DATA) && offer.written().isEmpty()) {
            return new UntriedPair("the exporter wrote nothing that could be read");
        }
        Optional<FabricChild> child = importer();
        if (child.isEmpty()) {
            return new UntriedPair("the importer's process does not start: " + lastFailure);
        }
        var export = new FabricExport(new FabricHandle(offer.handle()), offer.bytes());
        ChildAnswer<Optional<String>> answer =
                child.get().importMemory(gpus.get(gpu).uuid(), level, export);
        if (!child.get().alive()) {
            child.get().close();
            importer = Optional.empty();
        }
        if (answer instanceof ChildSucceeded<Optional<String>>(Optional<String> read)) {
            return level.includes(FabricLevel.DATA) && !read.equals(Optional.of(offer.written()))
                    ? new FailedPair("data", 0, "other bytes were read than the exporter wrote")
                    : new ProvenPair();
        }
        return state(answer);
    }

    private Optional<FabricChild> importer() throws InterruptedException {
        if (importer.isPresent() || failedStarts >= MOST_STARTS) {
            return importer;
        }
        try {
            FabricChild child = FabricChild.launch(launcher, deadlines);
            ChildAnswer<List<FabricGpu>> opened = child.open(driverRoot);
            if (opened instanceof ChildSucceeded<List<FabricGpu>>) {
                failedStarts = 0;
                importer = Optional.of(child);
                return importer;
            }
            child.close();
            lastFailure = opened.words();
        } catch (IOException e) {
            lastFailure = String.valueOf(e.getMessage());
        }
        failedStarts++;
        return Optional.empty();
    }

    private static PairState state(ChildAnswer<?> answer) {
        return switch (answer) {
            case CallRefused<?>(var call, var result) -> new FailedPair(call.symbol(), result.code(), result.name());
            case ChildTimedOut<?> _ -> new TimedOutPair();
            case ChildUnusable<?>(String words) -> new UntriedPair(words);
            case ChildSucceeded<?> _ -> throw new IllegalArgumentException("has not failed");
        };
    }

    @Override
    public Optional<String> driver() {
        try {
            String version = Files.readString(driverRoot.resolve("proc/driver/nvidia/version"), StandardCharsets.UTF_8);
            Matcher matcher = DRIVER.matcher(version);
            return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
        } catch (IOException notShown) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        importer.ifPresent(FabricChild::close);
        exporter.ifPresent(FabricChild::close);
    }
}
