package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.RdmaSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import io.imexagent.rdma.dra.NetdevSupport;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.ArpHook;
import io.imexagent.rdma.rails.RuntimeProbe;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RecordingFiles;
import io.imexagent.rdma.watch.ToldAddresses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** Reads the RDMA side of the host once, for a command. */
final class LocalRdma implements RdmaSource {

    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    private final ThisProcess process;

    LocalRdma(ThisProcess process) {
        this.process = process;
    }

    @Override
    public Reading read(AgentConfig config) throws IOException, InterruptedException {
        var files = new RecordingFiles(new RootedFiles(config.get(ConfigKeys.HOST_ROOT)));
        var gpus = new LocalProbe(process).inventory(config).gpus();
        RdmaView view = new RdmaReader(files, process.clock()).read(gpus, new ToldAddresses.NotAsked(), config.rdma());
        return new Reading(view, new Facts(files.texts(), files.links(), files.folders(), files.failures()));
    }

    @Override
    public Optional<NetdevSupport> netdev(AgentConfig config) {
        return config.rdma()
                .rails()
                .runtime()
                .map(program -> new RuntimeProbe(() -> Optional.of(program), ArpHook.INSTALLED).look());
    }

    @Override
    public void write(Path file, String text) throws IOException {
        new DurableFiles(FileSteps.ALL_PASS, "").replace(file, text.getBytes(StandardCharsets.UTF_8), OWNER);
    }
}
