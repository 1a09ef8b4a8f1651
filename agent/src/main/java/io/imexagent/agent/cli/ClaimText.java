package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.cli.ClaimsSource.CdiFile;
import io.imexagent.agent.cli.ClaimsSource.Reading;
import io.imexagent.agent.render.ClaimDocument;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import java.util.stream.Collectors;

/** The parts of a claim, for people and for programs. */
final class ClaimText {

    static final String NOT_TOLD = "-";

    private ClaimText() {}

    static String name(ClaimEntry entry) {
        return entry.name().map(name -> name.toString()).orElse(NOT_TOLD);
    }

    static Cell state(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started started -> new Cell("started", Style.WARNING);
            case ClaimEntry.Completed completed -> new Cell("completed", Style.GOOD);
            case ClaimEntry.Aborted aborted -> new Cell("aborted " + aborted.at(), Style.FAINT);
        };
    }

    static String devices(ClaimEntry entry) {
        String devices = switch (entry) {
            case ClaimEntry.Started started -> "";
            case ClaimEntry.Completed completed ->
                completed.devices().stream().map(ClaimText::device).collect(Collectors.joining(", "));
            case ClaimEntry.Aborted aborted -> "";
        };
        return devices.isEmpty() ? NOT_TOLD : devices;
    }

    private static String device(PreparedDevice device) {
        return device.handed().device();
    }

    static String allocated(ClaimEntry entry) {
        return entry.status()
                .allocation()
                .flatMap(allocation -> allocation.timestamp())
                .map(time -> time.toString())
                .orElse(NOT_TOLD);
    }

    /** The claim's CDI file; only a completed claim must have one, and only then its absence is worth a colour. */
    static Cell cdiFile(ClaimEntry entry, Reading reading) {
        CdiFile file = reading.cdiFile().apply(entry.uid());
        if (file.present()) {
            return Cell.of(file.path().toString());
        }
        return switch (entry) {
            case ClaimEntry.Completed completed -> new Cell(file.path() + " is missing", Style.BAD);
            case ClaimEntry.Started started -> Cell.of(NOT_TOLD);
            case ClaimEntry.Aborted aborted -> Cell.of(NOT_TOLD);
        };
    }

    static ObjectNode document(ClaimRecords.Claim claim) {
        ClaimEntry entry = claim.entry();
        CdiFile file = claim.record().cdiFile().apply(entry.uid());
        ObjectNode document =
                ClaimDocument.of(entry).put("driver", claim.record().driver());
        document.putObject("cdiFile").put("path", file.path().toString()).put("present", file.present());
        return document;
    }
}
