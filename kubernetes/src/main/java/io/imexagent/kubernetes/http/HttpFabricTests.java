package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** FabricTests as JSON. A run that is invalid, or of a later version, is left out as a whole. */
final class HttpFabricTests {

    /** A full row: 71 codes with their marks, the cell of the node itself, and the blanks between. */
    private static final int LONGEST_ROW = 72 * 6;

    /** In bytes, room for four full runs of 72 nodes with the longest names. */
    private static final int LARGEST = 2 << 20;

    static final Decoder<Stored<FabricTest>> TEST = new Decoder<>(
            FieldSelection.ofObject(
                            "spec.runs[].id,by,level,started,ended",
                            "spec.runs[].nodes[].name,uid,bootID,imexStart,driver,cells")
                    .longest(LONGEST_ROW, "spec.runs[].nodes[].cells")
                    .room(LARGEST),
            test -> test.stored(new FabricTest(test.each("spec.runs").stream()
                    .flatMap(run -> run(run).stream())
                    .limit(FabricTest.MOST_RUNS)
                    .toList())));

    private HttpFabricTests() {}

    private static Optional<RecordedRun> run(FieldValues run) {
        try {
            return Optional.of(new RecordedRun(
                    run.required("id"),
                    run.required("by"),
                    FabricLevel.of(run.text("level")),
                    Instant.parse(run.text("started")),
                    Instant.parse(run.text("ended")),
                    run.each("nodes", HttpFabricTests::node)));
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }

    private static RecordedNode node(FieldValues node) throws IOException {
        return new RecordedNode(
                node.required("name"),
                new FabricIdentity(
                        node.required("uid"),
                        node.given("bootID").map(BootId::new),
                        node.whole("imexStart"),
                        node.given("driver")),
                node.text("cells"));
    }

    static ObjectNode written(ObjectNode metadata, FabricTest test) {
        ObjectNode object = Resource.FABRIC.object("FabricTest", metadata);
        ObjectNode spec = object.putObject("spec");
        test.runs().stream().findFirst().ifPresent(run -> spec.put("proven", run.proven()));
        ArrayNode runs = spec.putArray("runs");
        for (RecordedRun run : test.runs()) {
            ArrayNode nodes = runs.addObject()
                    .put("id", run.id())
                    .put("by", run.by())
                    .put("level", run.level().word())
                    .put("started", run.started().toString())
                    .put("ended", run.ended().toString())
                    .putArray("nodes");
            run.nodes().forEach(node -> written(nodes.addObject().put("name", node.name()), node));
        }
        return object;
    }

    private static void written(ObjectNode object, RecordedNode node) {
        FabricIdentity identity = node.identity();
        object.put("uid", identity.uid());
        identity.boot().ifPresent(boot -> object.put("bootID", boot.value()));
        identity.imexStart().ifPresent(start -> object.put("imexStart", start));
        identity.driver().ifPresent(driver -> object.put("driver", driver));
        object.put("cells", node.cells());
    }
}
