package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.files.FileFault;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/** The records of claims of all drivers of a node; an unreadable record does not hide the others. */
record ClaimRecords(List<ReadRecord> readings, List<UnreadableRecord> unreadable) {

    private static final List<RecordedDriver> DRIVERS = List.of(
            new RecordedDriver(DriverNames.DRIVER, CheckpointFormat.PUBLIC_DRIVER, ChannelRules.KIND),
            new RecordedDriver(RailDriver.NAME, RailRules.RECORD, RailRules.KIND));

    ClaimRecords {
        readings = List.copyOf(readings);
        unreadable = List.copyOf(unreadable);
    }

    /** A driver, the format of its record of claims, and the kind of its CDI devices. */
    record RecordedDriver(String name, CheckpointFormat format, CdiKind kind) {

        private Path record(AgentConfig config) {
            return config.kubelet().plugin(name).resolve(format.fileName());
        }

        /** Whether the driver may have claims: some can remain after RDMA was switched off. */
        private boolean hasRecord(AgentConfig config) {
            Path file = record(config);
            return name.equals(DriverNames.DRIVER)
                    || config.rdma().enabled()
                    || !Files.notExists(file)
                    || !Files.notExists(FileCheckpointStore.backupOf(file));
        }
    }

    /** A driver's record or its backup, without claims if neither file exists, and its CDI files. */
    record ReadRecord(RecordedDriver driver, CheckpointReader.CheckpointContent found, CdiDirectory specs) {}

    /** Why a driver's claims cannot be read; the reason names the file and the remedy. */
    record UnreadableRecord(String driver, String reason) {}

    record RecordedClaim(ReadRecord record, ClaimEntry entry) {

        RecordedDriver driver() {
            return record.driver();
        }

        /** The path of the claim's CDI file, which need not exist. */
        Path cdiFile() {
            return record.specs().file(entry.uid());
        }
    }

    /** Returns the name if it is that of a driver with records; throws otherwise. */
    static String driver(String name) {
        List<String> names = DRIVERS.stream().map(RecordedDriver::name).toList();
        if (!names.contains(name)) {
            throw new TypeConversionException(
                    "expected one of " + String.join(", ", names) + " but was '" + name + "'");
        }
        return name;
    }

    /** Reads the present records of each driver that may have some, and prints remarks and failures as warnings. */
    static ClaimRecords read(Invocation invocation, AgentConfig config) {
        var readings = new ArrayList<ReadRecord>();
        var unreadable = new ArrayList<UnreadableRecord>();
        for (RecordedDriver driver : DRIVERS) {
            if (driver.hasRecord(config)) {
                read(driver, config, readings, unreadable);
            }
        }
        readings.forEach(reading -> reading.found().remark().ifPresent(invocation::warn));
        unreadable.forEach(failed -> invocation.warn(failed.reason()));
        return new ClaimRecords(readings, unreadable);
    }

    private static void read(
            RecordedDriver driver, AgentConfig config, List<ReadRecord> readings, List<UnreadableRecord> unreadable) {
        Path record = driver.record(config);
        try {
            CheckpointReader.CheckpointContent found = CheckpointReader.read(record, driver.format())
                    .orElseGet(() -> new CheckpointReader.CheckpointContent(
                            record, Ledger.empty(Optional.empty()), Optional.empty()));
            readings.add(new ReadRecord(driver, found, new CdiDirectory(config.cdiDirectory(), driver.kind())));
        } catch (IOException failure) {
            unreadable.add(new UnreadableRecord(
                    driver.name(),
                    failure instanceof FileFault fault && fault.getCause() instanceof AccessDeniedException
                            ? "cannot read " + fault.path() + ": Permission denied; run it as root"
                            : String.valueOf(failure.getMessage())));
        }
    }

    List<RecordedClaim> claims() {
        return readings.stream()
                .flatMap(reading -> reading.found().ledger().entries().values().stream()
                        .map(entry -> new RecordedClaim(reading, entry)))
                .toList();
    }

    String files() {
        return readings.stream()
                .map(reading -> reading.found().file().toString())
                .collect(Collectors.joining(" and "));
    }

    ExitCode exitCode() {
        return unreadable.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    }

    /** Writes these claims into a document, with all records that were read. */
    ObjectNode document(Collection<RecordedClaim> claims) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode records = document.putArray("records");
        for (ReadRecord reading : readings) {
            ObjectNode record = records.addObject()
                    .put("driver", reading.driver().name())
                    .put("file", reading.found().file().toString());
            reading.found().remark().ifPresent(remark -> record.put("remark", remark));
            reading.found().ledger().bootId().ifPresent(boot -> record.put("bootId", boot.value()));
        }
        unreadable.forEach(
                failed -> records.addObject().put("driver", failed.driver()).put("unreadable", failed.reason()));
        ArrayNode array = document.putArray("claims");
        claims.forEach(claim -> write(claim, array.addObject()));
        return document;
    }

    /** Writes a claim of the ledger without the values that an old checkpoint did not record. */
    private static void write(RecordedClaim claim, ObjectNode document) {
        ClaimEntry entry = claim.entry();
        document.put("uid", entry.uid().value());
        entry.name()
                .ifPresent(name -> document.put("namespace", name.namespace()).put("name", name.name()));
        document.put("state", state(entry));
        if (TakeOverMark.isOn(entry)) {
            document.put("takenOver", true);
        }
        entry.status()
                .allocation()
                .flatMap(Allocation::timestamp)
                .ifPresent(time -> document.put("allocatedAt", time.toString()));
        switch (entry) {
            case ClaimEntry.Started _ -> {}
            case ClaimEntry.Completed completed -> {
                ArrayNode devices = document.putArray("devices");
                completed
                        .groups()
                        .forEach(group -> group.devices()
                                .forEach(device -> write(device, group.computeDomain(), devices.addObject())));
            }
            case ClaimEntry.Aborted aborted ->
                document.put("abortedAt", aborted.at().toString());
        }
        document.put("driver", claim.driver().name());
        Path file = claim.cdiFile();
        document.putObject("cdiFile").put("path", file.toString()).put("present", Files.exists(file));
    }

    private static String state(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started _ -> "started";
            case ClaimEntry.Completed _ -> "completed";
            case ClaimEntry.Aborted _ -> "aborted";
        };
    }

    private static void write(PreparedDevice device, String computeDomain, ObjectNode document) {
        switch (device) {
            case PreparedDevice.Channel channel ->
                document.put("type", "channel").put("channel", channel.id().number());
            case PreparedDevice.Daemon _ -> document.put("type", "daemon");
            case PreparedDevice.Plain _ -> document.put("type", "rail");
        }
        PreparedDevice.ReturnedDevice handed = device.returned();
        document.put("pool", handed.pool()).put("device", handed.device());
        handed.requests().forEach(document.putArray("requests")::add);
        handed.cdiDeviceIds().forEach(document.putArray("cdiDeviceIds")::add);
        handed.shareId().ifPresent(share -> document.put("shareId", share));
        if (!computeDomain.isEmpty()) {
            document.put("computeDomain", computeDomain);
        }
    }
}
