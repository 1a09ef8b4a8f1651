package io.imexagent.agent.cli;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.rdma.rails.RailDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The directories in which the agent writes. */
record DirectoryChecks(AgentConfig config, Predicate<Path> writable) {

    /** The default directories of CDI specs (CDI specification). */
    private static final Set<Path> READ_BY_RUNTIMES =
            Set.of(Path.of("/etc/cdi"), Path.of("/var/run/cdi"), Path.of("/run/cdi"));

    DirectoryChecks(AgentConfig config) {
        this(config, Files::isWritable);
    }

    List<CheckResult> run() {
        Path kubelet = config.kubelet().root();
        String kubeletRemedy = "start the kubelet once, or set kubelet.root to its root directory";
        var results = new ArrayList<>(List.of(
                existing("kubelet-plugins", kubelet.resolve("plugins"), kubeletRemedy),
                existing("kubelet-registry", kubelet.resolve("plugins_registry"), kubeletRemedy)));
        if (config.hostManaged()) {
            results.add(creatable("plugin-directory", config.kubelet().plugin(DriverNames.DRIVER)));
        }
        if (config.rdma().enabled()) {
            results.add(creatable("rdma-plugin-directory", config.kubelet().plugin(RailDriver.NAME)));
        }
        results.add(creatable("cdi-directory", config.cdiDirectory()));
        results.add(cdiRuntime());
        if (config.hostManaged()) {
            results.add(creatable("state-directory", config.stateDirectory()));
        }
        return results;
    }

    private CheckResult cdiRuntime() {
        String id = "cdi-runtime";
        Path directory = config.cdiDirectory();
        if (!READ_BY_RUNTIMES.contains(directory.normalize())) {
            return warning(
                    id,
                    directory + " is not a default CDI directory",
                    "name it in the runtime's configuration (cdi_spec_dirs), or set cdi.directory to /var/run/cdi");
        }
        return Files.isDirectory(directory)
                ? ok(id, directory + " is one that container runtimes read")
                : warning(
                        id,
                        directory + " does not exist yet; a container runtime that started without it may not see it"
                                + " appear",
                        "make it now (mkdir -p " + directory
                                + ") and at every boot, as the package's /usr/lib/tmpfiles.d/imex-agent.conf does, then"
                                + " restart the container runtime");
    }

    private CheckResult existing(String id, Path directory, String remedy) {
        return Files.isDirectory(directory)
                ? writable(id, directory)
                : critical(id, directory + " is not a directory", remedy);
    }

    /** A directory that the agent makes where it is missing. */
    private CheckResult creatable(String id, Path directory) {
        if (Files.isDirectory(directory)) {
            return writable(id, directory);
        }
        if (Files.exists(directory)) {
            return critical(id, directory + " is not a directory", "move it away");
        }
        Path above = directory.toAbsolutePath().getParent();
        while (above != null && !Files.exists(above)) {
            above = above.getParent();
        }
        return above != null && Files.isDirectory(above) && writable.test(above)
                ? ok(id, directory + " does not exist yet and can be created")
                : critical(
                        id,
                        directory + " does not exist, and this user cannot create it",
                        "create it, or run this as root; a unit that writes there names it in ReadWritePaths=");
    }

    private CheckResult writable(String id, Path directory) {
        return writable.test(directory)
                ? ok(id, directory + " is writable")
                : critical(id, directory + " is not writable", "run as root; a unit needs it in ReadWritePaths");
    }
}
