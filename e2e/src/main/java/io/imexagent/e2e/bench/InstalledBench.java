package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.e2e.process.ServiceManagerDouble;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.host.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/** Measures the agent as its package installs it: to READY, the gate, and what it takes while nothing happens. */
final class InstalledBench {

    private static final int UNMEASURED_STARTS = 2;

    /** A list of PCI devices that has none of the tray's. */
    private static final String NO_DEVICE = "ffff";

    /** The control program of nvidia-imex, on a domain of one node that is well. */
    private static final String CONTROL = """
            #!/bin/sh
            case " $* " in
              *" -N "*) echo '{"nodes":{"0":{"status":"READY","host":"127.0.0.1","hostName":"tray-07","connections":\
            {"0":{"host":"127.0.0.1","status":"CONNECTED","changed":true}},"changed":true,"version":"580.95.05"}},\
            "timestamp":"9/4/2026 00:37:39.905","status":"UP"}' ;;
              *) echo READY ;;
            esac
            """;

    /** systemd, which says of any unit that it runs. */
    private static final String SYSTEMCTL = """
            #!/bin/sh
            printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nResult=success\\n'
            """;

    private final BenchOptions options;
    private final Consumer<String> progress;
    private final InstalledAgent agent;
    private final Path folder;
    private final Path configuration;
    private final Path unlisted;

    private InstalledBench(
            BenchOptions options,
            Consumer<String> progress,
            InstalledAgent agent,
            Path folder,
            Path configuration,
            Path unlisted) {
        this.options = options;
        this.progress = progress;
        this.agent = agent;
        this.folder = folder;
        this.configuration = configuration;
        this.unlisted = unlisted;
    }

    /**
     * Unpacks the package and lays out what its agent is to find.
     *
     * @param settings an agent that serves, with the C fake of NVML
     */
    static InstalledBench prepare(
            BenchOptions options, Consumer<String> progress, Path file, Scratch scratch, AgentSettings settings)
            throws IOException, InterruptedException {
        Path folder = Files.createDirectories(scratch.directory().resolve("package"));
        AgentSettings installed = settings.with("imex.health.tool", program(folder.resolve("nvidia-imex-ctl"), CONTROL))
                .with("imex.health.systemctl", program(folder.resolve("systemctl"), SYSTEMCTL));
        return new InstalledBench(
                options,
                progress,
                InstalledAgent.unpack(file, folder),
                folder,
                installed.write(folder.resolve("config.yaml")),
                installed.with("imex.service.pciDevices", NO_DEVICE).write(folder.resolve("unlisted.yaml")));
    }

    /** Measures everything. */
    InstalledFigures measure() throws IOException, InterruptedException {
        Samples ready = new Samples();
        Samples gate = new Samples();
        Samples gateByNvml = new Samples();
        for (int number = 0; number < UNMEASURED_STARTS + options.starts(); number++) {
            long toReady = start();
            long decided = gate(configuration);
            long decidedByNvml = gate(unlisted);
            if (number >= UNMEASURED_STARTS) {
                ready.add(toReady);
                gate.add(decided);
                gateByNvml.add(decidedByNvml);
            }
        }
        progress.accept(String.format(
                Locale.ROOT,
                "installed: to READY %.1f ms, gate %.1f ms, by NVML %.1f ms",
                ready.median(),
                gate.median(),
                gateByNvml.median()));
        return idle(ready, gate, gateByNvml);
    }

    private InstalledFigures idle(Samples ready, Samples gate, Samples gateByNvml)
            throws IOException, InterruptedException {
        progress.accept("installed: idle for " + options.minutes() + " min");
        try (AgentProcess process = launch("run").start();
                StatusClient status = new StatusClient(process.awaitHttpPort())) {
            // As in production, where Prometheus asks twice a minute; the first page loads what makes it.
            status.metrics();
            double young = processor(process, status);
            ProcessUsage after = process.usage();
            progress.accept("installed: idle for " + options.minutes() + " min more");
            double settled = processor(process, status);
            process.terminate();
            return new InstalledFigures(
                    ready,
                    gate,
                    gateByNvml,
                    options.minutes(),
                    after.residentKb(),
                    young,
                    settled,
                    agent.packageBytes());
        }
    }

    /** Lets it be idle for the minutes; the share of a core that it took meanwhile. */
    private double processor(AgentProcess process, StatusClient status) throws IOException, InterruptedException {
        ProcessUsage before = process.usage();
        long start = System.nanoTime();
        for (int half = 0; half < 2 * options.minutes(); half++) {
            Thread.sleep(Duration.ofSeconds(30));
            status.metrics();
        }
        double elapsed = System.nanoTime() - start;
        return process.usage().withChildren().minus(before.withChildren()).toNanos() / elapsed;
    }

    private long start() throws IOException, InterruptedException {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(folder)) {
            long start = System.nanoTime();
            try (AgentProcess process = manager.notified(launch("run")).start()) {
                manager.await(process, message -> message.contains("READY=1"));
                long took = System.nanoTime() - start;
                process.terminate();
                return took;
            }
        } finally {
            Files.deleteIfExists(folder.resolve("notify"));
        }
    }

    private long gate(Path settings) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (AgentProcess process = launch("gate", settings).start()) {
            int code = process.awaitExit();
            long took = System.nanoTime() - start;
            if (code != 0) {
                throw process.failure("expected the gate to let nvidia-imex start, but it ended with " + code);
            }
            return took;
        }
    }

    private AgentLaunch launch(String command) {
        return launch(command, configuration);
    }

    private AgentLaunch launch(String command, Path settings) {
        return AgentLaunch.command(command, "--config", settings.toString()).executable(agent.executable());
    }

    private static String program(Path file, String text) throws IOException {
        Files.writeString(file, text);
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + file + " executable");
        }
        return file.toString();
    }
}
