package io.imexagent.cdi;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads CDI specs as strictly as runtimes do, with the fields that the agent writes: one unknown field, one wrong type, one field that is there twice, or one
 * breach of the rules refuses the whole file. The agent itself only writes specs and compares their bytes.
 */
public final class CdiSpecReader {

    private final ObjectMapper mapper;

    private CdiSpecReader(JsonFactory format) {
        mapper = new ObjectMapper(format)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }

    /** A reader of {@code .yaml} files. */
    public static CdiSpecReader yaml() {
        return new CdiSpecReader(new YAMLFactory());
    }

    /** A reader of {@code .json} files. */
    public static CdiSpecReader json() {
        return new CdiSpecReader(new JsonFactory());
    }

    /**
     * The claim's spec, or nothing where it has none.
     *
     * @throws IOException where its file cannot be read, or is no spec that a runtime would take
     */
    public static Optional<CdiSpec> read(CdiDirectory directory, ClaimUid claim) throws IOException {
        Path file = directory.file(claim);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(yaml().read(Files.readAllBytes(file)));
        } catch (InvalidCdiSpecException e) {
            throw new IOException(file + " is no valid CDI spec: " + e.getMessage(), e);
        }
    }

    /**
     * The spec in the content of a file.
     *
     * @throws InvalidCdiSpecException where there is none that a runtime would take
     */
    public CdiSpec read(byte[] content) throws InvalidCdiSpecException {
        CdiSpec spec = spec(parse(content));
        List<String> faults = faults(spec);
        if (!faults.isEmpty()) {
            throw new InvalidCdiSpecException(faults);
        }
        return spec;
    }

    /** Breaches of the rules for the content, and of those for what the agent's own model cannot even hold. */
    private static List<String> faults(CdiSpec spec) {
        var faults = new ArrayList<>(SpecRules.faults(spec.edits()));
        String needed = CdiSpecWriter.version(spec.edits());
        if (spec.version().text().compareTo(needed) < 0) {
            faults.add("cdiVersion: is " + spec.version() + ", but the content needs at least " + needed);
        }
        var names = new HashSet<String>();
        for (CdiSpec.Device device : spec.devices()) {
            if (!names.add(device.name())) {
                faults.add("devices[" + names.size() + "].name: device name " + Quoted.of(device.name())
                        + " is there twice");
            }
        }
        Stream.concat(Stream.of(spec.containerEdits()), spec.devices().stream().map(CdiSpec.Device::containerEdits))
                .flatMap(edits -> edits.mounts().stream())
                .filter(mount -> mount.containerPath().isEmpty())
                .forEach(mount -> faults.add("mount of " + mount.hostPath() + ": containerPath must not be empty"));
        return faults;
    }

    private JsonNode parse(byte[] content) throws InvalidCdiSpecException {
        try {
            return mapper.readTree(content);
        } catch (JsonProcessingException e) {
            String[] lines = e.getOriginalMessage().split("\n", -1);
            throw new InvalidCdiSpecException("", "cannot be parsed: " + lines[0].strip());
        } catch (IOException e) {
            throw new InvalidCdiSpecException("", "cannot be parsed: " + e.getMessage());
        }
    }

    private static CdiSpec spec(JsonNode node) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, "", Set.of("cdiVersion", "kind", "devices", "containerEdits"));
        return new CdiSpec(
                version(fields.required("cdiVersion")),
                kind(fields.required("kind")),
                fields.list("devices", CdiSpecReader::device),
                fields.mapping("containerEdits", CdiSpecReader::edits).orElse(ContainerEdits.NONE));
    }

    private static CdiVersion version(String text) throws InvalidCdiSpecException {
        String plain = text.startsWith("v") ? text.substring(1) : text;
        return Arrays.stream(CdiVersion.values())
                .filter(version -> version.text().equals(plain))
                .findFirst()
                .orElseThrow(() -> new InvalidCdiSpecException(
                        "cdiVersion", Quoted.of(text) + " must be one of " + Arrays.toString(CdiVersion.values())));
    }

    private static CdiKind kind(String text) throws InvalidCdiSpecException {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new InvalidCdiSpecException("kind", Quoted.of(text) + " must be vendor/class");
        }
        var fault = CdiGrammar.kindFault(text.substring(0, slash), text.substring(slash + 1));
        if (fault.isPresent()) {
            throw new InvalidCdiSpecException("kind", fault.get());
        }
        return new CdiKind(text.substring(0, slash), text.substring(slash + 1));
    }

    private static CdiSpec.Device device(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("name", "containerEdits"));
        return new CdiSpec.Device(
                fields.required("name"),
                fields.mapping("containerEdits", CdiSpecReader::edits).orElse(ContainerEdits.NONE));
    }

    private static ContainerEdits edits(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("env", "deviceNodes", "netDevices", "hooks", "mounts"));
        return new ContainerEdits(
                fields.texts("env"),
                fields.list("deviceNodes", CdiSpecReader::deviceNode),
                fields.list("netDevices", CdiSpecReader::netDevice),
                fields.list("hooks", CdiSpecReader::hook),
                fields.list("mounts", CdiSpecReader::mount));
    }

    private static ContainerEdits.DeviceNode deviceNode(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("path", "type", "major", "minor", "fileMode"));
        var read = new ContainerEdits.DeviceNode(
                fields.required("path"),
                fields.deviceNumber("major"),
                fields.deviceNumber("minor"),
                fields.number("fileMode").orElse(0));
        String type = fields.required("type");
        if (!type.equals("c")) {
            throw new InvalidCdiSpecException(path + ".type", Quoted.of(type) + " must be c");
        }
        return read;
    }

    private static ContainerEdits.NetDevice netDevice(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("hostInterfaceName", "name"));
        return new ContainerEdits.NetDevice(fields.required("hostInterfaceName"), fields.required("name"));
    }

    private static ContainerEdits.Hook hook(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("hookName", "path", "args", "timeout"));
        return new ContainerEdits.Hook(
                fields.required("hookName"),
                fields.required("path"),
                fields.texts("args"),
                fields.number("timeout").orElse(0));
    }

    private static ContainerEdits.Mount mount(JsonNode node, String path) throws InvalidCdiSpecException {
        var fields = new SpecFields(node, path, Set.of("hostPath", "containerPath", "options"));
        return new ContainerEdits.Mount(
                fields.required("hostPath"), fields.required("containerPath"), fields.texts("options"));
    }
}
