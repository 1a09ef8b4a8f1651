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
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Chooses the kubeconfig of a command on the cluster: that of the command line, of {@code $KUBECONFIG}, of {@code
 * controller.kubeconfig}, or {@code ~/.kube/config}, in this order; in a pod where none of them exists, its service
 * account. A controller uses only the first and the third, since it does not run for a user.
 */
record KubeconfigChoice(AgentConfig config, Map<String, String> environment) {

    static final String FILE = "--kubeconfig";

    /** The flag of the configuration that {@link #FILE} sets. */
    static final String KEY_FLAG = "--controller-kubeconfig";

    private static final String CONTEXT = "--context";
    private static final String KEY = "controller.kubeconfig";
    private static final String VARIABLE = "KUBECONFIG";
    private static final String USUAL = "kubeconfig";
    private static final Path ROOT = Path.of("/");

    /** Adds the options that choose the cluster of a command. */
    static CommandSpec addTo(CommandSpec spec) {
        return spec.addOption(file("$" + VARIABLE + ", " + KEY + ", ~/.kube/config: the first that is there"))
                .addOption(GlobalOptions.filled(
                        CONTEXT, "NAME", "The context of the kubeconfig. Default: its current one."));
    }

    /** The option that names the kubeconfig; the configuration's flag of the same name is for a kubelet's. */
    static OptionSpec file(String otherwise) {
        return GlobalOptions.file(FILE, "FILE", "The kubeconfig. Default: " + otherwise + ".");
    }

    /** The value that {@link #FILE} gives {@link #KEY_FLAG}; throws if both options are given. */
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

    /** Returns the access of a command, after a line on standard error that names it; refuses several files at once. */
    static ClusterAccess announced(Invocation invocation, AgentConfig config) throws IOException {
        var choice = new KubeconfigChoice(config, invocation.surroundings().environment());
        ClusterAccess access = choice.ofCommand(
                        invocation.option(FILE, Path.class).isPresent(), invocation::warn)
                .withContext(invocation.option(CONTEXT, String.class));
        try {
            invocation.warn("uses " + AccessSource.target(access));
        } catch (AccessException e) {
            throw new IOException(e.getMessage(), e);
        }
        return access;
    }

    /** The access of a controller to the API server. */
    ClusterAccess ofController() {
        return ClusterAccess.of(KEY, config.controller().kubeconfig()).orServiceAccount(environment, ROOT);
    }

    private ClusterAccess ofCommand(boolean byOption, Consumer<String> warn) throws IOException {
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
        List<Path> usual = Stream.concat(Stream.of(file), ofHome(warn).stream()).toList();
        // Only root can read the controller's own kubeconfig; other users have another one.
        List<Path> readable = usual.stream().filter(Files::isReadable).toList();
        return ClusterAccess.of(USUAL, readable.isEmpty() ? usual : readable).orServiceAccount(environment, ROOT);
    }

    /** The file of the user. With {@code sudo -E}, the home is another user's, whose plugins would run as root. */
    private Optional<Path> ofHome(Consumer<String> warn) throws IOException {
        Optional<Path> file = Optional.of(environment.getOrDefault("HOME", ""))
                .filter(home -> !home.isEmpty())
                .map(home -> Path.of(home, ".kube", "config"));
        if (file.isPresent() && ThisProcess.isRoot() && Files.exists(file.get()) && isForeign(file.get())) {
            warn.accept("passes over " + file.get() + ", which others than root own or can write, since its plugins"
                    + " would run as root; if you trust it, name it with " + FILE);
            return Optional.empty();
        }
        return file;
    }

    private static boolean isForeign(Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:uid,gid,mode");
        return !(attributes.get("uid") instanceof Integer owner
                && attributes.get("gid") instanceof Integer group
                && attributes.get("mode") instanceof Integer mode
                && isOfRoot(owner, group, mode));
    }

    /** Whether a file of this owner, group and mode is root's, and no other user can write it. */
    static boolean isOfRoot(int owner, int group, int mode) {
        return owner == 0 && (mode & 0002) == 0 && ((mode & 0020) == 0 || group == 0);
    }

    /** The file that the variable names. If it names several, kubectl merges the existing ones; this reads one. */
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
