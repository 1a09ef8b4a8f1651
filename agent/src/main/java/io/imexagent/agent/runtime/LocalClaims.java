package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ClaimRecords.Answer;
import io.imexagent.agent.cli.ClaimRecords.CdiFile;
import io.imexagent.agent.cli.ClaimRecords.Reading;
import io.imexagent.agent.cli.ClaimRecords.Unreadable;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.files.FileFault;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.rdma.dra.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads the claims of this node from its files, whether the daemon runs or not, and changes nothing. */
final class LocalClaims {

    private static final List<Kept> ALL = List.of(
            new Kept(DriverNames.DRIVER, CheckpointFormat.PUBLIC_DRIVER, ChannelRules.KIND),
            new Kept(RailDriver.NAME, RailRules.RECORD, RailRules.KIND));

    private LocalClaims() {}

    /**
     * How the claims of a driver are kept.
     *
     * @param driver the driver
     * @param format the form of its record
     * @param kind the kind of its CDI devices
     */
    record Kept(String driver, CheckpointFormat format, CdiKind kind) {}

    /** How the claims of this driver are kept. */
    static Kept kept(String driver) {
        return ALL.stream()
                .filter(kept -> kept.driver().equals(driver))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no driver " + driver));
    }

    /** The claims as they are now, of each DRA driver that has or may have any. */
    static List<Answer> read(AgentConfig config) {
        // Claims that were left behind when RDMA was switched off are still there.
        return ALL.stream()
                .filter(kept -> kept.driver().equals(DriverNames.DRIVER)
                        || config.rdma().enabled()
                        || hasRecord(AgentPaths.record(config, kept.driver(), kept.format())))
                .map(kept -> read(config, kept))
                .toList();
    }

    /** Whether there is anything to read; a folder that may not be looked into might have it. */
    private static boolean hasRecord(Path file) {
        return !Files.notExists(file) || !Files.notExists(FileCheckpointStore.backupOf(file));
    }

    private static Answer read(AgentConfig config, Kept kept) {
        String driver = kept.driver();
        Path record = AgentPaths.record(config, driver, kept.format());
        var specs = new CdiDirectory(config.get(ConfigKeys.CDI_DIRECTORY), kept.kind());
        try {
            CheckpointReader.Found found = CheckpointReader.read(record, kept.format())
                    .orElseGet(
                            () -> new CheckpointReader.Found(record, Ledger.empty(Optional.empty()), Optional.empty()));
            return new Reading(driver, found.file(), found.ledger(), found.remark(), claim -> {
                Path file = specs.file(claim);
                return new CdiFile(file, Files.exists(file));
            });
        } catch (FileFault fault) {
            return new Unreadable(
                    driver,
                    fault.getCause() instanceof AccessDeniedException
                            ? "cannot read " + fault.path() + ": Permission denied; run it as root"
                            : String.valueOf(fault.getMessage()));
        } catch (IOException broken) {
            return new Unreadable(driver, String.valueOf(broken.getMessage()));
        }
    }
}
