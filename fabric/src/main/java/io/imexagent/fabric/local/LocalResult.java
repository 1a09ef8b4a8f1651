package io.imexagent.fabric.local;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.fabric.local.LocalCell.LocalState;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The result of a local test for each GPU. */
public record LocalResult(FabricLevel level, List<GpuResult> gpus) {

    /** The limits of the test, in the same words for text and documents. */
    static final String LIMITS =
            "This is about the driver, its options, its channels and their separation on this node. It"
                    + " proves nothing of nvidia-imex or of other nodes.";

    public LocalResult {
        gpus = List.copyOf(gpus);
    }

    /** A GPU with its imports. A GPU that was not tried has no imports, and a clause that says why. */
    public record GpuResult(TestedGpu gpu, List<LocalCell> cells, String skipped) {
        public GpuResult {
            cells = List.copyOf(cells);
        }

        /** Returns the worst state of the GPU's imports. */
        public LocalState state() {
            return cells.stream()
                    .map(LocalCell::state)
                    .max(Comparator.naturalOrder())
                    .orElse(LocalState.NOT_TRIED);
        }

        String text(FabricLevel level) {
            return switch (state()) {
                case PROVEN ->
                    "proven: memory exported on channels " + exporters() + " was " + level.done()
                            + " on the same channel, and refused on the other one and without any";
                case NOT_TRIED -> "not tried: " + (cells.isEmpty() ? skipped : words(LocalState.NOT_TRIED));
                case TIMEOUT -> "timeout: " + words(LocalState.TIMEOUT);
                case FAILED -> "FAILED: " + words(LocalState.FAILED);
                case ISOLATION_BROKEN ->
                    "ISOLATION BROKEN: " + words(LocalState.ISOLATION_BROKEN)
                            + "; workloads of this node can reach each other's GPU memory: drain it";
            };
        }

        private String exporters() {
            return cells.stream()
                    .map(LocalCell::exporter)
                    .distinct()
                    .map(String::valueOf)
                    .collect(Collectors.joining(" and "));
        }

        private String words(LocalState state) {
            return cells.stream()
                    .filter(cell -> cell.state() == state)
                    .map(LocalCell::words)
                    .distinct()
                    .collect(Collectors.joining("; "));
        }
    }

    /** Returns the worst state of all GPUs; {@code NOT_TRIED} if there is no GPU. */
    public LocalState state() {
        return gpus.stream()
                .map(GpuResult::state)
                .max(Comparator.naturalOrder())
                .orElse(LocalState.NOT_TRIED);
    }

    /** Returns a line for each GPU, and the limits of the test. */
    public String text() {
        return gpus.stream()
                        .map(gpu -> gpu.gpu().title() + ": " + gpu.text(level) + "\n")
                        .collect(Collectors.joining())
                + (gpus.isEmpty() ? "There is no GPU to test.\n" : "")
                + LIMITS + "\n";
    }

    public ObjectNode document() {
        ObjectNode document = JsonTrees.object()
                .put("test", "local")
                .put("level", level.word())
                .put("state", state().word());
        ArrayNode all = document.putArray("gpus");
        for (GpuResult result : gpus) {
            ObjectNode gpu = all.addObject()
                    .put("uuid", result.gpu().uuid())
                    .put("state", result.state().word());
            if (result.cells().isEmpty()) {
                gpu.put("reason", result.skipped());
            }
            ArrayNode cells = gpu.putArray("imports");
            for (LocalCell cell : result.cells()) {
                ObjectNode one = cells.addObject().put("exportedOn", cell.exporter());
                cell.importer().ifPresent(channel -> one.put("importedOn", channel));
                one.put("expected", cell.same() ? "imported" : "refused")
                        .put("state", cell.state().word())
                        .put("words", cell.words());
            }
        }
        return document.put("proves", LIMITS);
    }
}
