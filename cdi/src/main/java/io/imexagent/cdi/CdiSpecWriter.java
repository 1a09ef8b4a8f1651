package io.imexagent.cdi;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.imexagent.core.claim.ClaimEdits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes the CDI spec of a claim as indented JSON in ASCII. In a {@code .yaml} file that is valid YAML, which parsers
 * of YAML 1.1 and 1.2 read alike.
 */
final class CdiSpecWriter {

    /**
     * The mode of device nodes: every user in the container may open them; the device cgroup restricts which containers
     * have them.
     */
    private static final int READ_WRITE_FOR_ALL = 0666;

    private static final List<String> READ_ONLY = List.of("ro", "nosuid", "nodev", "bind");

    /**
     * The time limit of a hook, which normally takes milliseconds, so that a container does not wait for one that
     * hangs.
     */
    private static final int HOOK_SECONDS = 10;

    private static final JsonFactory JSON = new JsonFactory();

    private final JsonGenerator out;

    private CdiSpecWriter(JsonGenerator out) {
        this.out = out;
    }

    /** The spec as a file's content. Empty fields are left out, as by the CDI library. */
    static byte[] encode(CdiKind kind, ClaimEdits claim) {
        var bytes = new ByteArrayOutputStream(512);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            // YAML forbids control characters, and ends lines at some other characters.
            out.useDefaultPrettyPrinter().setHighestNonEscapedChar('~');
            new CdiSpecWriter(out).spec(kind, claim);
            out.writeRaw('\n');
        } catch (IOException impossible) {
            throw new UncheckedIOException("a spec can always be written to memory", impossible);
        }
        return bytes.toByteArray();
    }

    private void spec(CdiKind kind, ClaimEdits claim) throws IOException {
        out.writeStartObject();
        out.writeStringField("cdiVersion", version(claim));
        out.writeStringField("kind", kind.toString());
        list("devices", claim.devices().entrySet(), device -> {
            out.writeStringField("name", device.getKey());
            edits(device.getValue().edits());
        });
        if (!claim.shared().equals(ClaimEdits.Edits.NONE)) {
            edits(claim.shared());
        }
        out.writeEndObject();
    }

    /** The lowest version with all features that the spec uses: runtimes refuse versions that they do not know. */
    static String version(ClaimEdits claim) {
        boolean movesInterfaces = Stream.concat(
                        Stream.of(claim.shared()),
                        claim.devices().values().stream().map(ClaimEdits.DeviceEdits::edits))
                .anyMatch(edits -> !edits.interfaces().isEmpty());
        if (movesInterfaces) {
            return "1.1.0";
        }
        // Version 0.5.0 brought device names that start with a digit; 0.3.0 is the earliest that today's runtimes read.
        return claim.devices().keySet().stream().allMatch(CdiGrammar::startsWithLetter) ? "0.3.0" : "0.5.0";
    }

    private void edits(ClaimEdits.Edits edits) throws IOException {
        out.writeObjectFieldStart("containerEdits");
        texts("env", edits.environment());
        list("deviceNodes", edits.nodes(), this::deviceNode);
        list("netDevices", edits.interfaces(), moved -> {
            out.writeStringField("hostInterfaceName", moved.onHost());
            out.writeStringField("name", moved.inContainer());
        });
        list("hooks", edits.hooks(), this::hook);
        list("mounts", edits.mounts(), mount -> {
            out.writeStringField("hostPath", mount.hostPath());
            out.writeStringField("containerPath", mount.path());
            texts("options", READ_ONLY);
        });
        out.writeEndObject();
    }

    private void deviceNode(ClaimEdits.DeviceNodeEdits node) throws IOException {
        out.writeStringField("path", node.path());
        out.writeStringField("type", "c");
        number("major", node.major());
        number("minor", node.minor());
        number("fileMode", READ_WRITE_FOR_ALL);
    }

    /** Writes a hook. By convention a program's first argument is its own name. */
    private void hook(ClaimEdits.Hook hook) throws IOException {
        out.writeStringField("hookName", hook.stage());
        out.writeStringField("path", hook.path());
        texts(
                "args",
                Stream.concat(Stream.of(hook.path()), hook.arguments().stream()).toList());
        number("timeout", HOOK_SECONDS);
    }

    private <T> void list(String name, Collection<T> items, Fields<T> fields) throws IOException {
        if (items.isEmpty()) {
            return;
        }
        out.writeArrayFieldStart(name);
        for (T item : items) {
            out.writeStartObject();
            fields.write(item);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private void texts(String name, List<String> texts) throws IOException {
        if (!texts.isEmpty()) {
            out.writeArrayFieldStart(name);
            for (String text : texts) {
                out.writeString(text);
            }
            out.writeEndArray();
        }
    }

    /** Writes a number unless it is 0, which the CDI library assumes for a missing number. */
    private void number(String name, int number) throws IOException {
        if (number != 0) {
            out.writeNumberField(name, number);
        }
    }

    private interface Fields<T> {
        void write(T item) throws IOException;
    }
}
