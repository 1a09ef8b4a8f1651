package io.imexagent.agent.config;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.setting.NodeName;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Loads the configuration: defaults, beaten by the file, beaten by the environment, beaten by the command line. All
 * faults come at once.
 */
public final class ConfigLoader {

    private static final String NODE_NAME = "node.name";
    private static final int LARGEST_FILE = 1 << 20;

    private final Path defaultFile;
    private final Map<String, String> environment;
    private final HostName hostName;

    /**
     * A loader.
     *
     * @param defaultFile the file that is read where none is named; it need not exist
     * @param environment the environment's variables
     * @param hostName tells the node's name where it is not set
     */
    public ConfigLoader(Path defaultFile, Map<String, String> environment, HostName hostName) {
        this.defaultFile = defaultFile;
        this.environment = Map.copyOf(environment);
        this.hostName = hostName;
    }

    /** Loads the configuration. Can be called again, for what has changed in the file. */
    public LoadResult load(ConfigSources sources) {
        Gathered gathered = gather(sources);
        TypedValues values = gathered.values();
        List<ConfigFault> faults = new ArrayList<>(gathered.faults());
        values.fillIn();
        nodeName(values).ifPresent(faults::add);
        faults.addAll(CrossChecks.of(values));
        if (!faults.isEmpty()) {
            return new LoadResult.Faulty(faults);
        }
        List<String> notes = GateResolution.apply(values);
        return new LoadResult.Loaded(new EffectiveConfig(new AgentConfig(values.values()), gathered.file(), notes));
    }

    /**
     * Loads the part that is about the host alone, which decides starts of nvidia-imex: a mistake elsewhere, which keeps
     * the agent from starting, must not keep nvidia-imex from starting too. A gate that is switched off stays so
     * whatever else is wrong.
     */
    public HostSideResult loadHostSide(ConfigSources sources) {
        Gathered gathered = gather(sources);
        TypedValues values = gathered.values();
        boolean off = values.values().are("imex.service.gate", false);
        if (!off && gathered.faults().stream().anyMatch(HostSideFaults::concern)) {
            return new HostSideResult.Faulty(gathered.faults());
        }
        values.forgetFaults();
        values.fillIn();
        return new HostSideResult.Loaded(HostSideResult.HostSide.of(values.values()), gathered.faults());
    }

    /** What the sources say, the later beating the earlier, and what is wrong with it. */
    private Gathered gather(ConfigSources sources) {
        List<ConfigFault> faults = new ArrayList<>();
        var values = new TypedValues();
        Source file = file(sources);
        List<Layer> layers = List.of(file.layer(), EnvironmentLayer.read(environment), FlagLayer.read(sources.flags()));
        for (Layer layer : layers) {
            faults.addAll(layer.faults());
            layer.values().forEach(raw -> values.put(raw).ifPresent(faults::add));
        }
        faults.sort(Comparator.comparingInt(ConfigLoader::line));
        return new Gathered(values, faults, file.path());
    }

    private Optional<ConfigFault> nodeName(TypedValues values) {
        ConfigKey key = ConfigKeys.at(NODE_NAME);
        if (!values.isUnset(key)) {
            return Optional.empty();
        }
        try {
            String name = hostName.read();
            if (!new NodeName().test(name)) {
                return Optional.of(unset("the host name " + Quoted.of(name) + " is no node name"));
            }
            values.putStandard(key, name);
            return Optional.empty();
        } catch (IOException unreadable) {
            return Optional.of(unset("the host name cannot be read: " + reason(unreadable)));
        }
    }

    /** The fault's line in the file. Faults of other sources come after all lines, in the order in which they are. */
    private static int line(ConfigFault fault) {
        return fault.where()
                .map(origin -> origin instanceof Origin.InFile place ? place.line() : Integer.MAX_VALUE)
                .orElse(Integer.MAX_VALUE);
    }

    private static ConfigFault unset(String why) {
        return ConfigFault.of(NODE_NAME, "is not set, and " + why + "; set it to the name of this host's Node object");
    }

    private Source file(ConfigSources sources) {
        String variable = environment.getOrDefault(EnvironmentLayer.CONFIG_FILE, "");
        if (sources.file().isPresent()) {
            return file(sources.file().get(), true);
        }
        return variable.isEmpty() ? file(defaultFile, false) : file(Path.of(variable), true);
    }

    private static Source file(Path path, boolean named) {
        try {
            return new Source(Optional.of(path), FileLayer.read(path, read(path)));
        } catch (NoSuchFileException missing) {
            return named ? unreadable(path, "no such file") : new Source(Optional.empty(), new Layer());
        } catch (IOException broken) {
            return unreadable(path, reason(broken));
        }
    }

    private static Source unreadable(Path path, String why) {
        String message = "cannot read the configuration file " + path + ": " + why;
        return new Source(Optional.of(path), new Layer().with(ConfigFault.whole(message)));
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

    private record Source(Optional<Path> path, Layer layer) {}

    private record Gathered(TypedValues values, List<ConfigFault> faults, Optional<Path> file) {}
}
