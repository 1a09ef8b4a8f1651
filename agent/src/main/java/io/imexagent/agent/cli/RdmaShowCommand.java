package io.imexagent.agent.cli;

import io.imexagent.rdma.document.RdmaDocument;
import io.imexagent.rdma.document.RdmaText;
import io.imexagent.rdma.watch.RdmaView;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent rdma show}. */
final class RdmaShowCommand implements Command {

    private final Configured configured;
    private final RdmaSource source;

    RdmaShowCommand(Configured configured, RdmaSource source) {
        this.configured = configured;
        this.source = source;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("show")
                .addOption(GlobalOptions.output())
                .addOption(PeerOption.spec());
        spec.usageMessage()
                .description("Show every RDMA NIC of this node: what it is for, whether it is offered, and why not.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            RdmaView read = source.read(effective.config()).view();
            RdmaView view = PeerOption.peer(invocation, effective.config())
                    .map(peer -> peer.applied(read, effective.config().rdma()))
                    .orElse(read);
            boolean enabled = effective.config().rdma().enabled();
            invocation.print(
                    () -> RdmaText.of(view, enabled, invocation.colours()), () -> RdmaDocument.of(view, enabled));
            return ExitCode.OK;
        });
    }
}
