package io.imexagent.checkpoint;

import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.FileSteps;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * A process that lets a checkpoint grow until it is as large as a store in this much heap reads, far more than one saves
 * by itself; that reads it again, makes it smaller, and says so.
 */
final class CheckpointGrower {

    private static final int STATUS = 64 << 10;

    private CheckpointGrower() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        long heap = Long.parseLong(arguments[1]) << 20;
        FileCheckpointStore store = store(directory, heap);
        Ledger ledger = Ledger.empty(Optional.empty());
        int claims = 0;
        for (long size = 0; size + 3 * STATUS < heap / 16; size = Files.size(store.file())) {
            ledger = ledger.with(largest(claims++));
            store.save(ledger);
        }
        boolean full = store.full().isPresent();
        LoadOutcome found = store(directory, heap).load();
        if (!(found instanceof LoadOutcome.LoadedCheckpoint loaded)
                || !loaded.ledger().equals(ledger)) {
            throw new IllegalStateException("read something else: " + found.getClass());
        }
        store.save(loaded.ledger().without(new ClaimUid("claim-0")));
        System.out.println(claims + " claims, full: " + full);
    }

    private static FileCheckpointStore store(Path directory, long heap) {
        return new FileCheckpointStore(
                directory, CheckpointFormat.PUBLIC_DRIVER, InstantSource.system(), FileSteps.ALL_PASS, heap);
    }

    /** A claim of the largest status that is prepared, in letters that take two bytes each in memory. */
    private static ClaimEntry largest(int number) {
        var parameters = new JsonText("\"" + "\u0436".repeat(STATUS / 2) + "\"");
        var config = new DeviceConfig(
                DeviceConfig.Source.FROM_CLAIM, List.of(), Optional.of(new DeviceConfig.Opaque("d", parameters)));
        var allocation = new Allocation(
                List.of(LedgerSpecimens.allocated("r", "d", "p", "v")),
                List.of(config),
                Optional.empty(),
                Optional.empty());
        return new ClaimEntry.Completed(
                new ClaimUid("claim-" + number),
                Optional.empty(),
                new ClaimStatus(Optional.of(allocation), List.of(), List.of()),
                List.of());
    }
}
