package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.Origin;
import io.imexagent.kubernetes.access.AccessException;
import io.imexagent.kubernetes.access.AccessSource;
import io.imexagent.kubernetes.access.ClusterAccess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * By which kubeconfig a command reaches the cluster that it is about: that of the command line, of {@code $KUBECONFIG}, of
 * {@code controller.kubeconfig}, or {@code ~/.kube/config}, in this order; where none of them exists in a pod, its service
 * account. A controller, which is no user's, has only the first and the third.
 */
record KubeconfigChoice(AgentConfig config, Map<String, String> environment) {

    static final String FILE = "--kubeconfig";

    /** The flag of the configuration for which {@link #FILE} stands. */
    static final String KEY_FLAG = "--controller-kubeconfig";

    private static final String CONTEXT = "--context";
    private static final String KEY = "controller.kubeconfig";
    private static final String VARIABLE = "KUBECONFIG";
    private static final String USUAL = "kubeconfig";
    private static final Path ROOT = Path.of("/");

    /** Adds the options that say which cluster a command is about. */
    static CommandSpec addTo(CommandSpec spec) {
        return spec.addOption(file("$" + VARIABLE + ", " + KEY + ", ~/.kube/config: the first that is there"))
                .addOption(GlobalOptions.value(
                        CONTEXT,
                        String.class,
                        GlobalOptions::given,
                        "NAME",
                        "The context of the kubeconfig. Default: its current one."));
    }

    /** The option that names the kubeconfig; the same flag of the configuration names that of a kubelet. */
    static OptionSpec file(String otherwise) {
        return GlobalOptions.value(
                FILE,
                Path.class,
                text -> Path.of(GlobalOptions.given(text)),
                "FILE",
                "The kubeconfig. Default: " + otherwise + ".");
    }

    /** What {@link #FILE} says of the configuration: the value of {@link #KEY_FLAG}, which cannot stand beside it. */
    static Optional<String> flag(Invocation invocation) {
        if (invocation.isFlag(FILE)) {
            return Optional.empty();
        }
        Optional<Path> file = invocation.option(FILE, Path.class);
        if (file.isPresent() && !invocation.options(KEY_FLAG).isEmpty()) {
            throw invocation.wrong(FILE + " and " + KEY_FLAG + " name the same thing: give one of them");
        }
        return file.map(path -> path.toAbsolutePath().toString());
    }

    /** The access that a command has, after a line on standard error that names it; refuses several files at once. */
    static ClusterAccess announced(Invocation invocation, AgentConfig config) throws IOException {
        var choice = new KubeconfigChoice(config, invocation.surroundings().environment());
        ClusterAccess access = choice.ofCommand(
                        invocation.option(FILE, Path.class).isPresent())
                .withContext(invocation.option(CONTEXT, String.class));
        try {
            invocation.warn("uses " + AccessSource.target(access));
        } catch (AccessException e) {
            throw new IOException(e.getMessage(), e);
        }
        return access;
    }

    /** How a controller reaches the API server. */
    ClusterAccess ofController() {
        return ClusterAccess.of(KEY, config.controller().kubeconfig()).orServiceAccount(environment, ROOT);
    }

    private ClusterAccess ofCommand(boolean byOption) throws IOException {
        Path file = config.controller().kubeconfig();
        Origin origin = config.origin(KEY);
        if (origin.isFlag()) {
            return ClusterAccess.of(byOption ? FILE : KEY, file);
        }
        Optional<Path> ofVariable = ofVariable();
        if (ofVariable.isPresent()) {
            return ClusterAccess.of("$" + VARIABLE, ofVariable.get());
        }
        if (!(origin instanceof Origin.Default)) {
            return ofController();
        }
        List<Path> usual = Stream.concat(Stream.of(file), ofHome().stream()).toList();
        // The controller's own is root's; another user has another.
        List<Path> readable = usual.stream().filter(Files::isReadable).toList();
        return ClusterAccess.of(USUAL, readable.isEmpty() ? usual : readable).orServiceAccount(environment, ROOT);
    }

    private Optional<Path> ofHome() {
        return Optional.of(environment.getOrDefault("HOME", ""))
                .filter(home -> !home.isEmpty())
                .map(home -> Path.of(home, ".kube", "config"));
    }

    /** The file that the variable names. Of several kubectl merges those that exist; this reads one. */
    private Optional<Path> ofVariable() throws IOException {
        List<Path> named = Arrays.stream(environment.getOrDefault(VARIABLE, "").split(File.pathSeparator, -1))
                .filter(name -> !name.isBlank())
                .map(name -> Path.of(name).toAbsolutePath())
                .distinct()
                .toList();
        List<Path> existing = named.stream().filter(Files::exists).toList();
        if (existing.size() > 1) {
            throw new IOException("$" + VARIABLE + " names several files, "
                    + existing.stream().map(Path::toString).collect(Collectors.joining(" and "))
                    + ", and imex-agent reads one; name it with " + FILE
                    + ", or make one of them: kubectl config view --flatten");
        }
        return existing.stream().findFirst().or(() -> named.stream().findFirst());
    }
}
