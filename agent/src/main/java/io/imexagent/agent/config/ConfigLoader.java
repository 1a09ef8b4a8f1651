package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.setting.Value.NodeName;
import io.imexagent.files.FileFault;
import io.imexagent.imex.prepare.CliqueMissing;
import io.imexagent.imex.prepare.Sharing;
import io.imexagent.imex.setting.ImexSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Loads the configuration: the file overrides defaults, the environment variables override the file, the command line
 * overrides all. All faults are reported at once. The default file, the kernel's file with the host's name, and the
 * kubelet's files are below {@code root}. As with the kubelet, the default node name is the host's name in lower case.
 */
public record ConfigLoader(Map<String, String> environment, Path root) {

    private static final String NODE_NAME = "node.name";
    private static final String HOST_NAME = "proc/sys/kernel/hostname";
    private static final int LARGEST_FILE = 1 << 20;

    public ConfigLoader {
        environment = Map.copyOf(environment);
    }

    /** Loads the configuration; can be called again to read changes of the file. */
    public LoadResult<AgentConfig> load(ConfigSources sources) {
        ConfigDraft draft = gather(sources);
        find(draft, AgentConfig.KUBECONFIG, KubeletPaths::kubeconfig);
        find(draft, AgentConfig.KUBELET_ROOT, KubeletPaths::root);
        draft.fillIn();
        nodeName(draft);
        checkTogether(draft);
        List<ConfigFault> faults = draft.faults();
        return faults.isEmpty()
                ? new LoadResult.LoadedConfig<>(resolved(draft))
                : new LoadResult.FaultyConfig<>(faults);
    }

    /**
     * Loads the part about the host alone, by which the gate decides whether nvidia-imex may start: a mistake in
     * another part keeps only the agent from starting, not nvidia-imex. A gate that is switched off stays off despite
     * any faults.
     */
    public LoadResult<HostSide> loadHostSide(ConfigSources sources) {
        ConfigDraft draft = gather(sources);
        boolean off = draft.values().are("imex.service.gate", false);
        if (!off && draft.faults().stream().anyMatch(HostSide::isConcernedBy)) {
            return new LoadResult.FaultyConfig<>(draft.faults());
        }
        draft.forgetFaultyValues();
        draft.fillIn();
        return new LoadResult.LoadedConfig<>(new HostSide(draft.values(), draft.faults()));
    }

    /** Collects the values and faults of all sources; later sources override earlier ones. */
    private ConfigDraft gather(ConfigSources sources) {
        String variable = environment.getOrDefault(EnvironmentLayer.CONFIG_FILE, "");
        boolean named = sources.file().isPresent() || !variable.isEmpty();
        Path defaultFile = root.resolve(ConfigKeys.DEFAULT_FILE.toString().substring(1));
        Path path = sources.file().orElseGet(() -> variable.isEmpty() ? defaultFile : Path.of(variable));
        var draft = new ConfigDraft(named || !Files.notExists(path) ? Optional.of(path) : Optional.empty());
        draft.file.ifPresent(file -> read(file, draft));
        EnvironmentLayer.read(environment, draft);
        sources.read(draft);
        return draft;
    }

    private void find(ConfigDraft draft, String path, Function<Path, Optional<Path>> below) {
        ConfigKey key = ConfigKeys.at(path);
        if (draft.isUnset(key)) {
            below.apply(root).ifPresent(place -> draft.put(key, place, new Origin.FoundOnHost()));
        }
    }

    private void nodeName(ConfigDraft draft) {
        ConfigKey key = ConfigKeys.at(NODE_NAME);
        if (!draft.isUnset(key)) {
            return;
        }
        Path hostName = root.resolve(HOST_NAME);
        String fault;
        try {
            String name = Files.readString(hostName).strip().toLowerCase(Locale.ROOT);
            if (new NodeName().test(name)) {
                draft.put(key, name, new Origin.Default());
                return;
            }
            fault = "the host name " + Quoted.of(name) + " is no node name";
        } catch (IOException unreadable) {
            fault = hostName + " cannot be read: " + FileFault.reason(unreadable);
        }
        draft.add(ConfigFault.of(
                NODE_NAME, "is not set, and " + fault + "; set it to the name of this host's Node object"));
    }

    /**
     * The configuration with its gates resolved: HostManagedIMEX forces off the two gates that only make sense with the
     * public driver's own daemons, so that an operator sets one gate instead of three.
     */
    private static AgentConfig resolved(ConfigDraft draft) {
        var given = AgentConfig.of(draft.values(), draft.file, List.of());
        ImexSettings imex = given.imex();
        List<String> notes = new ArrayList<>();
        var resolved = new StringBuilder("feature gates resolved");
        for (ConfigKey gate : ConfigKeys.in(ConfigKeys.FEATURE_GATES)) {
            boolean on = given.values().are(gate.path(), true);
            boolean forced = on
                    && given.hostManaged()
                    && !gate.path().equals(ConfigKeys.HOST_MANAGED)
                    && !gate.path().equals(ConfigKeys.HOST_MANAGED_DAEMON);
            if (forced) {
                draft.put(gate, false, new Origin.ForcedByKey("HostManagedIMEX"));
                notes.add("HostManagedIMEX is enabled; forcing " + gate.name() + "=false");
            }
            resolved.append(' ').append(gate.name()).append('=').append(on && !forced);
        }
        if (!given.hostManaged() && given.values().are(ConfigKeys.HOST_MANAGED_DAEMON, true)) {
            notes.add(
                    "HostManagedIMEXDaemon=true switches nothing: in the public driver it unlocks imex.mode: hostManaged,"
                            + " which here is HostManagedIMEX=true; this agent only observes");
        }
        if (!given.hostManaged()) {
            imex.isolation()
                    .ifPresent(isolation -> notes.add("HostManagedIMEX is disabled; imex.isolation=" + isolation.text()
                            + " is ignored, this agent only observes"));
            if (given.publication().cliqueLabel()) {
                notes.add("HostManagedIMEX is disabled; publication.cliqueLabel=true is ignored, this agent only"
                        + " observes and labels nothing");
            }
        } else if (imex.isolation().equals(Optional.of(Isolation.NONE))
                && imex.sharing().equals(Optional.of(Sharing.DOMAIN))) {
            notes.add("imex.sharing=Domain with imex.isolation=None: the scheduler cannot tell ComputeDomains apart,"
                    + " a pod of another one waits on the node until those of the first have ended");
        }
        if (given.placementOfCliques() != PlacementMode.OFF
                && !given.publication().cliqueLabel()) {
            notes.add("placement.clique=" + given.placementOfCliques().text()
                    + " with publication.cliqueLabel=false: pods"
                    + " are kept together only on Nodes that GPU feature discovery labels with nvidia.com/gpu.clique");
        }
        notes.add(resolved.toString());
        return AgentConfig.of(draft.values(), draft.file, notes);
    }

    private static void read(Path file, ConfigDraft draft) {
        try (InputStream bytes = Files.newInputStream(file)) {
            byte[] content = bytes.readNBytes(LARGEST_FILE + 1);
            if (content.length > LARGEST_FILE) {
                throw new IOException("it is larger than 1 MiB");
            }
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
            FileLayer.read(file, text.toString(), draft);
        } catch (IOException unreadable) {
            String reason = unreadable instanceof CharacterCodingException
                    ? "it is not UTF-8 text"
                    : FileFault.reason(unreadable);
            String fault = "cannot read the configuration file " + file + ": " + reason;
            draft.add(new ConfigFault(Optional.empty(), Optional.empty(), fault));
        }
    }

    /** Checks combinations of values. It reads values by key, since a faulty value prevents records. */
    private static void checkTogether(ConfigDraft draft) {
        ConfigValues values = draft.values();
        draft.checkNames();
        if (values.are(ConfigKeys.HOST_MANAGED, true)) {
            checkGate(draft);
            checkIsolation(draft, ConfigKeys.at(ConfigKeys.ISOLATION));
        }
        if (values.are(ConfigKeys.CLIQUE_MISSING, CliqueMissing.SUCCEED)
                && values.are(ConfigKeys.WITHOUT_CLIQUE, false)) {
            draft.add(ConfigFault.at(
                    values.origin(ConfigKeys.at(ConfigKeys.CLIQUE_MISSING)),
                    ConfigKeys.CLIQUE_MISSING,
                    "Succeed prepares claims on nodes without an NVLink clique, and "
                            + values.origin(ConfigKeys.at(ConfigKeys.WITHOUT_CLIQUE))
                                    .text()
                            + " says publication.withoutClique: false, which lets none come there; leave one of the two"
                            + " out"));
        }
        String both = "; TLS needs certificate and key, plain HTTP none of the files";
        require(draft, "http.tls.certificate", "http.tls.key", both);
        require(draft, "http.tls.key", "http.tls.certificate", both);
        require(draft, "http.tls.clientCa", "http.tls.certificate", both);
        // The setting has no effect alone, although whoever set it expects one.
        if (values.are("rdma.includeUplinks", true)) {
            require(draft, "rdma.includeUplinks", "rdma.include", "; name there the uplinks that are to be offered");
        }
    }

    /** If the mode is set in the public driver's words, the gate that permits this mode there must not be off. */
    private static void checkGate(ConfigDraft draft) {
        Origin mode = draft.values().origin(ConfigKeys.at(ConfigKeys.HOST_MANAGED));
        ConfigKey gate = ConfigKeys.at(ConfigKeys.HOST_MANAGED_DAEMON);
        Origin locked = draft.values().origin(gate);
        if (mode instanceof Origin.FromPublicDriver
                && draft.values().are(gate.path(), false)
                && !(locked instanceof Origin.Default)) {
            draft.add(ConfigFault.at(
                    locked,
                    gate.path(),
                    "is false, and " + mode.text() + " needs it in the public driver; set it to true, or remove it"));
        }
    }

    private static void checkIsolation(ConfigDraft draft, ConfigKey key) {
        Optional<ConfigValues.ConfigEntry> set = draft.values().entry(key);
        if (draft.isUnset(key)) {
            String meanings = Arrays.stream(Isolation.values())
                    .map(isolation -> isolation.text() + " (" + isolation.meaning()
                            + (isServed(isolation) ? ")" : "; not in this version)"))
                    .collect(Collectors.joining(", "));
            draft.add(
                    ConfigFault.of(
                            key.path(),
                            "is not set, and HostManagedIMEX needs an explicit choice: " + meanings
                                    + "; the public driver's default is not taken: its domain is None, its channel IMEXChannel"));
        } else if (set.isPresent() && set.get().value() instanceof Isolation isolation && !isServed(isolation)) {
            draft.add(ConfigFault.at(
                    set.get().origin(),
                    key,
                    isolation.text() + " means " + isolation.meaning() + "; under HostManagedIMEX it cannot be served; "
                            + ConfigDraft.ISOLATION_WORDS));
        }
    }

    private static boolean isServed(Isolation isolation) {
        return switch (isolation) {
            case NONE, IMEX_CHANNEL -> true;
            case IMEX_DOMAIN -> false;
        };
    }

    private static void require(ConfigDraft draft, String given, String needed, String rule) {
        Optional<ConfigValues.ConfigEntry> set = draft.values().entry(ConfigKeys.at(given));
        if (set.isPresent() && draft.isUnset(ConfigKeys.at(needed))) {
            draft.add(ConfigFault.at(set.get().origin(), ConfigKeys.at(given), "is set without " + needed + rule));
        }
    }
}
