package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.files.FileFault;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;

/**
 *
 * The claims that the kubelet will unprepare, by {@value #FILE} in its root directory: a JSON object with a document as
 * text in {@code Data} and its CRC-32 in {@code Checksum}; the document, a {@code DRACheckpoint}, has a {@code
 * ClaimUID} in each entry of its {@value #CLAIMS} (kubernetes 1.36, {@code pkg/kubelet/cm/dra/state}). Any other
 * content is {@link UnreadableKubeletClaims}, since the device of an overlooked claim would be withdrawn from its pod.
 */
public sealed interface KubeletClaims {

    String FILE = "dra_manager_state";

    /**
     * The largest file that is read: a kubelet runs some 110 pods, and a claim's entry has less than a kilobyte for
     * each device.
     */
    int LARGEST = 4 << 20;

    String CLAIMS = "ClaimInfoStateList";

    /** The known fields of the document. A document with other fields may hold claims elsewhere. */
    Set<String> FIELDS = Set.of("kind", "apiVersion", CLAIMS);

    /** The kubelet's checkpoint has claims of these UIDs and no others. */
    record NamedKubeletClaims(Set<String> uids) implements KubeletClaims {

        public NamedKubeletClaims {
            uids = Set.copyOf(uids);
        }
    }

    /** There is no checkpoint: no kubelet, a kubelet that has prepared no claim yet, or one without DRA. */
    record NoKubeletClaims() implements KubeletClaims {}

    /** The checkpoint cannot be read; the reason names the file. */
    record UnreadableKubeletClaims(String reason) implements KubeletClaims {}

    /** Whether the kubelet has the claim; empty if the checkpoint cannot be read. */
    default Optional<Boolean> has(ClaimUid claim) {
        return switch (this) {
            case NamedKubeletClaims(Set<String> uids) -> Optional.of(uids.contains(claim.value()));
            case NoKubeletClaims() -> Optional.of(false);
            case UnreadableKubeletClaims _ -> Optional.empty();
        };
    }

    /** Reads the claims of the kubelet with this root directory. */
    static KubeletClaims read(Path kubeletRoot) {
        Path file = kubeletRoot.resolve(FILE);
        try {
            return new NamedKubeletClaims(
                    Set.copyOf(entries(content(file), entry -> entry.required("ClaimUID", JsonValue::text))));
        } catch (NoSuchFileException absent) {
            return new NoKubeletClaims();
        } catch (MalformedJsonException unknown) {
            return new UnreadableKubeletClaims(notUnderstood(file, unknown));
        } catch (IOException failure) {
            return new UnreadableKubeletClaims(
                    String.valueOf(FileFault.of("read", file, failure, "").getMessage()));
        }
    }

    static String notUnderstood(Path file, MalformedJsonException why) {
        return file + " is no state of a kubelet that this agent understands: " + why.reason();
    }

    static byte[] content(Path file) throws IOException, MalformedJsonException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(LARGEST + 1);
            if (content.length > LARGEST) {
                throw new MalformedJsonException("it is larger than " + LARGEST + " bytes");
            }
            return content;
        }
    }

    /** Reads each claim's entry in the content of the file. */
    static <T> List<T> entries(byte[] content, JsonValue.Reader<T> reader) throws MalformedJsonException {
        JsonValue checkpoint = JsonValue.read(content, "");
        byte[] data = checkpoint.required("Data", JsonValue::text).getBytes(UTF_8);
        var sum = new CRC32();
        sum.update(data);
        if (checkpoint.required("Checksum", value -> value.integer(0, 0xffff_ffffL)) != sum.getValue()) {
            throw checkpoint.malformed("the checksum is of other data");
        }
        JsonValue document = JsonValue.read(data, "Data");
        expect(document, "kind", "DRACheckpoint");
        expect(document, "apiVersion", "checkpoint.dra.kubelet.k8s.io/v1");
        for (JsonValue field : document.fields()) {
            if (!FIELDS.contains(field.name())) {
                throw field.malformed("is an unknown field");
            }
        }
        return document.list(CLAIMS, reader);
    }

    private static void expect(JsonValue document, String field, String value) throws MalformedJsonException {
        String found = document.text(field);
        if (!found.equals(value)) {
            throw document.malformed("field \"" + field + "\" is " + Quoted.of(found) + ", not " + value);
        }
    }
}
