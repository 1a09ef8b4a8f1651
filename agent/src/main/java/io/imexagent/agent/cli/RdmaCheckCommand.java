package io.imexagent.agent.cli;

import io.imexagent.core.check.CheckResult;
import io.imexagent.rdma.check.RdmaChecks;
import io.imexagent.rdma.watch.RdmaView;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent rdma check}. */
final class RdmaCheckCommand implements Command {

    private final Configured configured;
    private final RdmaSource source;

    RdmaCheckCommand(Configured configured, RdmaSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("check")
                .addOption(GlobalOptions.output())
                .addOption(PeerOption.spec());
        spec.usageMessage()
                .description(
                        "CheckResult what must be so before RDMA NICs can be handed to containers, with a remedy for"
                                + " what is not.",
                        "Ends with " + ExitCode.FAILED.number() + " where a check failed, with "
                                + ExitCode.WARNINGS.number() + " where there are only warnings.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            RdmaView view = source.read(effective.config()).view();
            List<CheckResult> checks = RdmaChecks.of(
                    view,
                    effective.config().rdma(),
                    source.netdev(effective.config()),
                    PeerOption.peer(invocation, effective.config()));
            invocation.print(
                    () -> CheckCommand.table(checks, invocation.colours()), () -> CheckCommand.document(checks));
            return CheckCommand.exitCode(checks);
        });
    }
}
