package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.render.ClaimDocument;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The records of claims of all drivers of a node. One that cannot be read keeps none of the others back.
 *
 * @param readings the records that were read
 * @param unreadable those that could not be
 */
public record ClaimRecords(List<Reading> readings, List<Unreadable> unreadable) {

    /** Copies the lists in. */
    public ClaimRecords {
        readings = List.copyOf(readings);
        unreadable = List.copyOf(unreadable);
    }

    /**
     * A claim in a record.
     *
     * @param record the record
     * @param entry what it says of the claim
     */
    record Claim(Reading record, ClaimEntry entry) {

        /** The claim's CDI file. */
        CdiFile cdiFile() {
            return record.cdiFile().apply(entry.uid());
        }

        private ObjectNode document() {
            CdiFile file = cdiFile();
            ObjectNode document = ClaimDocument.of(entry).put("driver", record.driver());
            document.putObject("cdiFile").put("path", file.path().toString()).put("present", file.present());
            return document;
        }
    }

    /** What is told of the claims of one driver. */
    public sealed interface Answer {}

    /**
     * The claims of a driver, and where they stand.
     *
     * @param driver the driver
     * @param checkpoint the file that was read: the driver's record, or its backup
     * @param ledger what it holds; empty where there is no file
     * @param remark what is to be known about that file, a sentence; empty where it is the record and whole
     * @param cdiFile tells a claim's CDI file, there or not
     */
    public record Reading(
            String driver, Path checkpoint, Ledger ledger, Optional<String> remark, Function<ClaimUid, CdiFile> cdiFile)
            implements Answer {}

    /**
     * The claims of a driver cannot be read.
     *
     * @param driver the driver
     * @param reason why; it names the file and the remedy
     */
    public record Unreadable(String driver, String reason) implements Answer {}

    /**
     * The CDI file of a claim.
     *
     * @param path where it stands or would stand
     * @param present whether it does
     */
    public record CdiFile(Path path, boolean present) {}

    /** Sorts the answers, and tells what is to be known of them besides claims. */
    static ClaimRecords tell(List<Answer> answers, PrintStream err) {
        var records = new ClaimRecords(
                answers.stream()
                        .filter(Reading.class::isInstance)
                        .map(Reading.class::cast)
                        .toList(),
                answers.stream()
                        .filter(Unreadable.class::isInstance)
                        .map(Unreadable.class::cast)
                        .toList());
        records.readings.forEach(reading -> reading.remark().ifPresent(remark -> err.println("imex-agent: " + remark)));
        records.unreadable.forEach(failed -> err.println("imex-agent: " + failed.reason()));
        return records;
    }

    /** All claims, driver by driver. */
    List<Claim> claims() {
        return readings.stream()
                .flatMap(
                        reading -> reading.ledger().entries().values().stream().map(entry -> new Claim(reading, entry)))
                .toList();
    }

    /** The files that were read, for a sentence. */
    String files() {
        return readings.stream().map(reading -> reading.checkpoint().toString()).collect(Collectors.joining(" and "));
    }

    /** How a command that told all of it ends. */
    ExitCode exitCode() {
        return unreadable.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }

    /** These claims as a document, with the records that they are from. */
    ObjectNode document(Collection<Claim> claims) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode records = document.putArray("records");
        for (Reading reading : readings) {
            ObjectNode record = records.addObject()
                    .put("driver", reading.driver())
                    .put("file", reading.checkpoint().toString());
            reading.remark().ifPresent(remark -> record.put("remark", remark));
            reading.ledger().bootId().ifPresent(boot -> record.put("bootId", boot.value()));
        }
        unreadable.forEach(
                failed -> records.addObject().put("driver", failed.driver()).put("unreadable", failed.reason()));
        ArrayNode array = document.putArray("claims");
        claims.forEach(claim -> array.add(claim.document()));
        return document;
    }
}
