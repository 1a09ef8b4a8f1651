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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Checks the directories in which the agent writes. */
record DirectoryChecks(AgentConfig config, Predicate<Path> writable) {

    /** The default directories of CDI specs (CDI specification). */
    private static final Set<Path> READ_BY_RUNTIMES =
            Set.of(Path.of("/etc/cdi"), Path.of("/var/run/cdi"), Path.of("/run/cdi"));

    private static final String PLUGINS = "kubelet-plugins";
    private static final String REGISTRY = "kubelet-registry";
    private static final String CDI = "cdi-directory";
    private static final Set<String> MADE_BY_KUBELETS = Set.of(PLUGINS, REGISTRY);

    DirectoryChecks(AgentConfig config) {
        this(config, Files::isWritable);
    }

    List<CheckResult> run() {
        var results = new ArrayList<CheckResult>();
        directories().forEach((id, directory) -> {
            results.add(MADE_BY_KUBELETS.contains(id) ? existing(id, directory) : creatable(id, directory));
            if (id.equals(CDI)) {
                results.add(cdiRuntime());
            }
        });
        return results;
    }

    /** The directories that a user may not use, or cannot create because the directory above is closed to the user. */
    List<Path> closed(Predicate<Path> toUser) {
        return directories().values().stream()
                .filter(directory -> toUser.test(Files.notExists(directory) ? above(directory) : directory))
                .toList();
    }

    private Map<String, Path> directories() {
        Path kubelet = config.kubelet().root();
        var directories = new LinkedHashMap<String, Path>();
        directories.put(PLUGINS, kubelet.resolve("plugins"));
        directories.put(REGISTRY, kubelet.resolve("plugins_registry"));
        if (config.hostManaged()) {
            directories.put("plugin-directory", config.kubelet().plugin(DriverNames.DRIVER));
        }
        if (config.rdma().enabled()) {
            directories.put("rdma-plugin-directory", config.kubelet().plugin(RailDriver.NAME));
        }
        directories.put(CDI, config.cdiDirectory());
        if (config.hostManaged()) {
            directories.put("state-directory", config.stateDirectory());
        }
        return directories;
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

    private CheckResult existing(String id, Path directory) {
        return Files.isDirectory(directory)
                ? writable(id, directory)
                : critical(
                        id,
                        directory + " is not a directory",
                        "start the kubelet once, or set kubelet.root to its root directory");
    }

    /** Checks a directory that the agent creates if it is missing. */
    private CheckResult creatable(String id, Path directory) {
        if (Files.isDirectory(directory)) {
            return writable(id, directory);
        }
        if (Files.exists(directory)) {
            return critical(id, directory + " is not a directory", "move it away");
        }
        Path above = above(directory);
        return Files.isDirectory(above) && writable.test(above)
                ? ok(id, directory + " does not exist yet and can be created")
                : critical(
                        id,
                        directory + " does not exist, and this user cannot create it",
                        "create it, or run this as root; a unit that writes there names it in ReadWritePaths=");
    }

    /** The nearest directory above that exists, or that the user cannot check. */
    private static Path above(Path directory) {
        Path absolute = directory.toAbsolutePath();
        return Stream.iterate(absolute, Objects::nonNull, Path::getParent)
                .skip(1)
                .filter(place -> !Files.notExists(place))
                .findFirst()
                .orElse(absolute);
    }

    private CheckResult writable(String id, Path directory) {
        return writable.test(directory)
                ? ok(id, directory + " is writable")
                : critical(id, directory + " is not writable", "run as root; a unit needs it in ReadWritePaths");
    }
}
