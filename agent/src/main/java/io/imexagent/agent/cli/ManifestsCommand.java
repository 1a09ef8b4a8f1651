package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.controller.manifests.ManifestOptions;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.core.policy.Isolation;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code imex-agent manifests}. */
final class ManifestsCommand implements Command {

    private static final String ADMISSION = "--admission";
    private static final String USER = "--controller-user";

    private final Configured configured;

    ManifestsCommand(Configured configured) {
        this.configured = configured;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create()
                .name("manifests")
                .addOption(OptionSpec.builder(ADMISSION)
                        .type(boolean.class)
                        .arity("0")
                        .description("With the policies that refuse early what agents refuse anyway.")
                        .build())
                .addOption(OptionSpec.builder(USER)
                        .type(String.class)
                        .paramLabel("USER")
                        .description("The user of the controllers' kubeconfig. Default: "
                                + ManifestOptions.CONTROLLER_USER + ".")
                        .build());
        spec.usageMessage()
                .description("Print the cluster's objects for this configuration: imex-agent manifests | kubectl apply"
                        + " -f -");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            var config = effective.config();
            invocation
                    .out()
                    .print(Manifests.of(new ManifestOptions(
                            config.hostManaged(),
                            config.find(ConfigKeys.ISOLATION).orElse(Isolation.NONE),
                            invocation.option(ADMISSION, Boolean.class).orElse(false),
                            config.get(ConfigKeys.CONTROLLER_NAMESPACE),
                            invocation.option(USER, String.class).orElse(ManifestOptions.CONTROLLER_USER),
                            config.rdma().enabled())));
            return ExitCode.OK;
        });
    }
}
