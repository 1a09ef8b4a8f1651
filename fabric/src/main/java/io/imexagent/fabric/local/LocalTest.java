package io.imexagent.fabric.local;

import io.imexagent.fabric.child.ChildAnswer;
import io.imexagent.fabric.child.ChildAnswer.CallRefused;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.child.ChildAnswer.ChildTimedOut;
import io.imexagent.fabric.child.FabricChild;
import io.imexagent.fabric.child.FabricExport;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.local.LocalCell.LocalState;
import io.imexagent.fabric.local.LocalResult.GpuResult;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The test of one node. On each of two channels a child exports memory of a GPU. Another child must be able to import
 * the memory on the same channel; imports on the other channel and without a channel must be refused. The code of a
 * refusal does not matter.
 */
public record LocalTest(
        LocalChildren children,
        ChannelPair channels,
        FabricLevel level,
        RandomGenerator random,
        Consumer<String> progress) {

    /** Tests one GPU after the other; a GPU that cannot be tried, or fails, does not affect the others. */
    public LocalResult run(List<TestedGpu> gpus) throws IOException, InterruptedException {
        List<GpuResult> results = new ArrayList<>();
        for (TestedGpu gpu : gpus) {
            Optional<String> skipped = gpu.skipped();
            if (skipped.isEmpty()) {
                progress.accept(gpu.title() + ": exporting and importing");
            }
            results.add(new GpuResult(gpu, skipped.isPresent() ? List.of() : cells(gpu), skipped.orElse("")));
        }
        return new LocalResult(level, results);
    }

    private List<LocalCell> cells(TestedGpu gpu) throws IOException, InterruptedException {
        List<LocalCell> cells = Stream.concat(
                        exportedOn(channels.first(), channels.second(), gpu).stream(),
                        exportedOn(channels.second(), channels.first(), gpu).stream())
                .toList();
        return cells.stream().map(cell -> believed(cell, cells)).toList();
    }

    /** Counts a refusal on the other channel only if imports on that channel work at all. */
    private static LocalCell believed(LocalCell cell, List<LocalCell> all) {
        boolean works = cell.importer().isEmpty()
                || all.stream()
                        .anyMatch(other -> other.same()
                                && other.exporter() == cell.importer().getAsInt()
                                && other.state() == LocalState.PROVEN);
        return works || cell.same() || cell.state() != LocalState.PROVEN
                ? cell
                : cell.notTried("nothing can be imported " + cell.where() + ", so a refusal there says nothing");
    }

    private List<LocalCell> exportedOn(int channel, int other, TestedGpu gpu) throws IOException, InterruptedException {
        List<OptionalInt> importers = List.of(OptionalInt.of(channel), OptionalInt.of(other), OptionalInt.empty());
        byte[] number = new byte[16];
        random.nextBytes(number);
        String nonce = HexFormat.of().formatHex(number);
        ChildAnswer<FabricChild> exporter = children.exporter(channel);
        ChildAnswer<FabricExport> answer = exporter.then(child -> child.export(gpu.uuid(), level, nonce));
        List<LocalCell> cells = new ArrayList<>();
        if (answer instanceof ChildSucceeded<FabricExport>(FabricExport export)) {
            for (OptionalInt importer : importers) {
                cells.add(imported(channel, importer, gpu, export, nonce));
            }
            if (cells.stream().anyMatch(cell -> !cell.same() && cell.state() == LocalState.PROVEN)) {
                doubtRefusalsOfWhatIsGone(cells, imported(channel, importers.getFirst(), gpu, export, nonce));
            }
            exporter.then(FabricChild::release);
        } else {
            cells.add(cell(channel, importers.getFirst(), bad(answer), "export on channel " + channel, answer.words()));
            importers.stream()
                    .skip(1)
                    .forEach(importer -> cells.add(new LocalCell(
                            channel, importer, LocalState.NOT_TRIED, "nothing was exported on channel " + channel)));
        }
        return cells;
    }

    /**
     * Counts refusals only if the memory can still be imported afterwards, since libcuda also refuses memory of an
     * exporter that has ended.
     */
    private static void doubtRefusalsOfWhatIsGone(List<LocalCell> cells, LocalCell again) {
        if (again.state() != LocalState.PROVEN) {
            cells.replaceAll(cell -> cell.same() || cell.state() != LocalState.PROVEN
                    ? cell
                    : cell.notTried("the memory could not be imported on its own channel afterwards, so a refusal says"
                            + " nothing: " + again.words()));
        }
    }

    private LocalCell imported(int channel, OptionalInt importer, TestedGpu gpu, FabricExport export, String nonce)
            throws IOException, InterruptedException {
        var expected = new LocalCell(channel, importer, LocalState.NOT_TRIED, "");
        FabricLevel taken = expected.same() ? level : FabricLevel.IMPORT;
        ChildAnswer<Optional<String>> answer =
                children.importer(importer).then(child -> child.importMemory(gpu.uuid(), taken, export));
        String what = "import of memory of channel " + channel + " " + expected.where();
        if (answer instanceof ChildSucceeded<Optional<String>>(Optional<String> read)) {
            if (!expected.same()) {
                return cell(channel, importer, LocalState.ISOLATION_BROKEN, what, "it was not refused");
            }
            return taken != FabricLevel.DATA || read.equals(Optional.of(nonce))
                    ? cell(channel, importer, LocalState.PROVEN, what, level.done())
                    : cell(channel, importer, LocalState.FAILED, what, "it has not what its exporter wrote");
        }
        boolean refused = answer instanceof CallRefused<Optional<String>> refusal && refusal.call() == CudaCall.IMPORT;
        return cell(
                channel, importer, refused && !expected.same() ? LocalState.PROVEN : bad(answer), what, answer.words());
    }

    private static LocalState bad(ChildAnswer<?> answer) {
        return answer instanceof ChildTimedOut ? LocalState.TIMEOUT : LocalState.FAILED;
    }

    private static LocalCell cell(int channel, OptionalInt importer, LocalState state, String what, String words) {
        return new LocalCell(channel, importer, state, what + ": " + words);
    }
}
