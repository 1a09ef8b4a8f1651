package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.cli.RdmaSource.Facts;
import io.imexagent.agent.cli.RdmaSource.Reading;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.render.Documents;
import io.imexagent.core.check.CheckResult;
import io.imexagent.rdma.check.RdmaLint;
import io.imexagent.rdma.document.RdmaDocument;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code imex-agent rdma snapshot}. */
final class RdmaSnapshotCommand implements Command {

    private static final String TO = "--to";

    private final Configured configured;
    private final RdmaSource source;
    private final String version;

    RdmaSnapshotCommand(Configured configured, RdmaSource source, String version) {
        this.configured = configured;
        this.source = source;
        this.version = version;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("snapshot")
                .addOption(OptionSpec.builder(TO)
                        .type(Path.class)
                        .paramLabel("FILE")
                        .description("Where to write the bundle. Default: standard output.")
                        .build());
        spec.usageMessage()
                .description(
                        "Write what was read of the RDMA devices, for support: the records, the files of sysfs and"
                                + " procfs behind them, and what in them leads NCCL astray. One JSON document, without"
                                + " secrets.",
                        "With --to it prints what it found wrong, and ends with " + ExitCode.WARNINGS.number()
                                + " where there is anything.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            Reading reading = source.read(effective.config());
            List<CheckResult> lint = RdmaLint.of(reading.view());
            String bundle = Documents.json(bundle(reading, lint, effective.config()));
            Optional<Path> file = invocation.option(TO, Path.class);
            if (file.isEmpty()) {
                invocation.out().print(bundle);
                return ExitCode.OK;
            }
            source.write(file.get().toAbsolutePath(), bundle);
            invocation.out().print(CheckCommand.table(lint, invocation.colours()));
            invocation.out().println("written to " + file.get());
            return CheckCommand.exitCode(lint);
        });
    }

    private ObjectNode bundle(Reading reading, List<CheckResult> lint, AgentConfig config) {
        ObjectNode bundle = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "imex-agent rdma snapshot")
                .put("version", version)
                .put("node", config.get(ConfigKeys.NODE_NAME));
        bundle.set("rdma", RdmaDocument.of(reading.view(), config.rdma().enabled()));
        bundle.set("lint", CheckCommand.document(lint));
        Facts facts = reading.facts();
        texts(bundle.putObject("files"), facts.texts());
        texts(bundle.putObject("links"), facts.links());
        ObjectNode folders = bundle.putObject("folders");
        new TreeMap<>(facts.folders()).forEach((path, names) -> {
            var array = folders.putArray("/" + path);
            names.stream().sorted().forEach(array::add);
        });
        texts(bundle.putObject("unreadable"), facts.failures());
        return bundle;
    }

    private static void texts(ObjectNode into, Map<String, String> texts) {
        new TreeMap<>(texts).forEach((path, text) -> into.put("/" + path, text.stripTrailing()));
    }
}
