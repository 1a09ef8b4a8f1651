package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.setting.Value.NodeName;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.watch.ImexSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Loads the configuration: defaults, beaten by the file, beaten by the environment, beaten by the command line. All
 * faults come at once.
 */
public final class ConfigLoader {

    private static final String HOST_MANAGED = "HostManagedIMEX";
    private static final String NODE_NAME = "node.name";
    private static final int LARGEST_FILE = 1 << 20;

    private final Path defaultFile;
    private final Map<String, String> environment;
    private final Path hostName;
    private final Path root;

    /**
     * A loader.
     *
     * @param defaultFile the file that is read where none is named; it need not exist
     * @param environment the environment's variables
     * @param hostName the kernel's file with the host's name, which in lower case is the node's name where none is set, as
     *     with the kubelet
     * @param root the folder below which the kubelet's things are looked for where none are set
     */
    public ConfigLoader(Path defaultFile, Map<String, String> environment, Path hostName, Path root) {
        this.defaultFile = defaultFile;
        this.environment = Map.copyOf(environment);
        this.hostName = hostName;
        this.root = root;
    }

    /** Loads the configuration. Can be called again, for what has changed in the file. */
    public LoadResult<EffectiveConfig> load(ConfigSources sources) {
        Gathered gathered = gather(sources);
        ConfigDraft draft = gathered.draft();
        List<ConfigFault> faults = new ArrayList<>(draft.faults());
        find(draft, AgentConfig.KUBECONFIG, KubeletPlaces.kubeconfig(root));
        find(draft, AgentConfig.KUBELET_ROOT, KubeletPlaces.root(root));
        draft.fillIn();
        nodeName(draft).ifPresent(faults::add);
        faults.addAll(CrossChecks.of(draft));
        if (!faults.isEmpty()) {
            return new LoadResult.Faulty<>(faults);
        }
        List<String> notes = resolveGates(draft);
        return new LoadResult.Loaded<>(new EffectiveConfig(new AgentConfig(draft.values()), gathered.file(), notes));
    }

    /**
     * Loads the part that is about the host alone, which decides starts of nvidia-imex: a mistake elsewhere, which keeps
     * the agent from starting, must not keep nvidia-imex from starting too. A gate that is switched off stays so
     * whatever else is wrong.
     */
    public LoadResult<HostSide> loadHostSide(ConfigSources sources) {
        Gathered gathered = gather(sources);
        ConfigDraft draft = gathered.draft();
        boolean off = draft.values().are("imex.service.gate", false);
        if (!off && draft.faults().stream().anyMatch(HostSide::isConcernedBy)) {
            return new LoadResult.Faulty<>(draft.faults());
        }
        draft.forgetFaultyValues();
        draft.fillIn();
        return new LoadResult.Loaded<>(HostSide.of(draft.values(), draft.faults()));
    }

    /** What the sources say, the later beating the earlier, and what is wrong with it. */
    private Gathered gather(ConfigSources sources) {
        String variable = environment.getOrDefault(EnvironmentLayer.CONFIG_FILE, "");
        boolean named = sources.file().isPresent() || !variable.isEmpty();
        Path path = sources.file().orElseGet(() -> variable.isEmpty() ? defaultFile : Path.of(variable));
        boolean missing = !named && Files.notExists(path);
        ConfigDraft draft = missing ? new ConfigDraft() : file(path);
        EnvironmentLayer.read(environment, draft);
        sources.read(draft);
        return new Gathered(draft, missing ? Optional.empty() : Optional.of(path));
    }

    private static void find(ConfigDraft draft, String path, Optional<Path> found) {
        ConfigKey key = ConfigKeys.at(path);
        found.filter(place -> draft.isUnset(key)).ifPresent(place -> draft.put(key, place, new Origin.Found()));
    }

    private Optional<ConfigFault> nodeName(ConfigDraft draft) {
        ConfigKey key = ConfigKeys.at(NODE_NAME);
        if (!draft.isUnset(key)) {
            return Optional.empty();
        }
        try {
            String name = Files.readString(hostName).strip().toLowerCase(Locale.ROOT);
            if (!new NodeName().test(name)) {
                return Optional.of(unset("the host name " + Quoted.of(name) + " is no node name"));
            }
            draft.put(key, name, new Origin.Standard());
            return Optional.empty();
        } catch (IOException unreadable) {
            return Optional.of(unset("the host name cannot be read: " + reason(unreadable)));
        }
    }

    /**
     * Resolves the feature gates: HostManagedIMEX forces the two gates off that only make sense with the public driver's
     * own daemons, so that an operator sets one gate and not three. Returns what an operator should read, one line each.
     */
    private static List<String> resolveGates(ConfigDraft draft) {
        var config = new AgentConfig(draft.values());
        ImexSettings imex = config.imex();
        List<String> notes = new ArrayList<>();
        var resolved = new StringBuilder("feature gates resolved");
        for (ConfigKey gate : ConfigKeys.in(ConfigKeys.FEATURE_GATES)) {
            boolean on = config.values().are(gate.path(), true);
            boolean forced = on && config.hostManaged() && !gate.name().equals(HOST_MANAGED);
            if (forced) {
                draft.put(gate, false, new Origin.Forced(HOST_MANAGED));
                notes.add("HostManagedIMEX is enabled; forcing " + gate.name() + "=false");
            }
            resolved.append(' ').append(gate.name()).append('=').append(on && !forced);
        }
        if (config.hostManaged()) {
            if (imex.isolation().equals(Optional.of(Isolation.NONE))
                    && imex.sharing().equals(Optional.of(Sharing.DOMAIN))) {
                notes.add(
                        "imex.sharing=Domain with imex.isolation=None: the scheduler cannot tell ComputeDomains apart,"
                                + " a pod of another one waits on the node until those of the first have ended");
            }
        } else {
            imex.isolation()
                    .ifPresent(isolation -> notes.add("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes"));
            if (config.publication().cliqueLabel()) {
                notes.add("HostManagedIMEX is disabled; publication.cliqueLabel=true is ignored, this agent only"
                        + " observes and labels nothing");
            }
        }
        notes.add(resolved.toString());
        return notes;
    }

    private static ConfigFault unset(String why) {
        return ConfigFault.of(NODE_NAME, "is not set, and " + why + "; set it to the name of this host's Node object");
    }

    private static ConfigDraft file(Path path) {
        try {
            return FileLayer.read(path, read(path));
        } catch (IOException unreadable) {
            String reason = unreadable instanceof NoSuchFileException ? "no such file" : reason(unreadable);
            return ConfigDraft.faulty(ConfigFault.whole("cannot read the configuration file " + path + ": " + reason));
        }
    }

    private static String read(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new IOException("it is a directory");
        }
        try (InputStream bytes = Files.newInputStream(path)) {
            byte[] content = bytes.readNBytes(LARGEST_FILE + 1);
            if (content.length > LARGEST_FILE) {
                throw new IOException("it is larger than 1 MiB");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException binary) {
            throw new IOException("it is not UTF-8 text", binary);
        }
    }

    private static String reason(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> "permission denied";
            case NoSuchFileException missing -> "no such file " + missing.getFile();
            default -> String.valueOf(failure.getMessage());
        };
    }

    private record Gathered(ConfigDraft draft, Optional<Path> file) {}
}
