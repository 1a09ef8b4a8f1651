package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.e2e.process.ServiceManagerDouble;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures the agent as its package installs it, with all that comes with it, or another executable: to READY, the gate, and what it takes
 * while nothing happens.
 */
final class InstalledBench {

    private static final int UNMEASURED_STARTS = 2;
    private static final double KB_PER_MB = 1024;
    private static final double BYTES_PER_MB = 1024 * 1024;

    /** A list of PCI devices that has none of the tray's. */
    private static final String NO_DEVICE = "ffff";

    private final BenchOptions options;
    private final Consumer<String> progress;
    private final Path folder;
    private final Optional<InstalledAgent> agent;
    private final Path configuration;
    private final Path unlisted;
    private final Samples ready = new Samples();
    private final Samples gate = new Samples();
    private final Samples gateByNvml = new Samples();

    /** Lays out in the folder what the agent is to find; without an installed one, {@link Checkout#executable} is measured. */
    InstalledBench(
            BenchOptions options,
            Consumer<String> progress,
            Optional<InstalledAgent> agent,
            Path folder,
            AgentSettings settings)
            throws IOException {
        this.options = options;
        this.progress = progress;
        this.agent = agent;
        this.folder = Files.createDirectories(folder);
        this.configuration = settings.write(folder.resolve("config.yaml"));
        this.unlisted = settings.with("imex.service.pciDevices", NO_DEVICE).write(folder.resolve("unlisted.yaml"));
    }

    /** Measures everything. The keys of the document are stable. */
    ObjectNode measure() throws IOException, InterruptedException {
        for (int number = 0; number < UNMEASURED_STARTS + options.starts; number++) {
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
        ObjectNode document = Json.object()
                .put("ready_ms", Samples.rounded(ready.median()))
                .put("gate_ms", Samples.rounded(gate.median()))
                .put("gate_by_nvml_ms", Samples.rounded(gateByNvml.median()));
        if (agent.isPresent()) {
            document.put("package_mb", Samples.rounded(agent.get().packageBytes() / BYTES_PER_MB))
                    .put("installed_mb", Samples.rounded(agent.get().installedBytes() / BYTES_PER_MB));
        } else {
            long bytes = Files.size(Checkout.find().executable());
            document.put("executable_mb", Samples.rounded(bytes / BYTES_PER_MB));
        }
        return options.brief ? document : idle(document);
    }

    private ObjectNode idle(ObjectNode document) throws IOException, InterruptedException {
        progress.accept("installed: idle for " + options.minutes + " min");
        try (AgentProcess process = launch("run", configuration).start();
                StatusClient status = new StatusClient(process.awaitHttpPort())) {
            // As in production, where Prometheus asks twice a minute; the first page loads what makes it.
            status.metrics();
            double young = processor(process, status);
            ProcessUsage after = process.usage();
            progress.accept("installed: idle for " + options.minutes + " min more");
            double settled = processor(process, status);
            process.terminate();
            return document.put("idle_minutes", options.minutes)
                    .put("rss_mb", Samples.rounded(after.residentKb() / KB_PER_MB))
                    .put("young_cpu_percent", Samples.rounded(young * 100))
                    .put("idle_cpu_percent", Samples.rounded(settled * 100));
        }
    }

    /** Lets it be idle for the minutes; the share of a core that it and the programs which it ran took meanwhile. */
    private double processor(AgentProcess process, StatusClient status) throws IOException, InterruptedException {
        ProcessUsage before = process.usage();
        long start = System.nanoTime();
        for (int half = 0; half < 2 * options.minutes; half++) {
            Thread.sleep(Duration.ofSeconds(30));
            status.metrics();
        }
        double elapsed = System.nanoTime() - start;
        return process.usage().withChildren().minus(before.withChildren()).toNanos() / elapsed;
    }

    private long start() throws IOException, InterruptedException {
        try (ServiceManagerDouble manager = ServiceManagerDouble.listen(folder)) {
            long start = System.nanoTime();
            try (AgentProcess process =
                    manager.notified(launch("run", configuration)).start()) {
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
        launch("gate", settings).runToEnd();
        return System.nanoTime() - start;
    }

    private AgentLaunch launch(String command, Path settings) {
        String[] words = {command, "--config", settings.toString()};
        return agent.map(one -> one.launch(words)).orElseGet(() -> AgentLaunch.command(words));
    }
}
