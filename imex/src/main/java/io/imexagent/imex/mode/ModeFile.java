package io.imexagent.imex.mode;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.checkpoint.GoJson;
import io.imexagent.checkpoint.JsonValue;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The file {@code mode.json} in the agent's own state directory: the mode and isolation under which the claims in the
 * checkpoint were prepared, for which the public driver's format has no field. {@code {"version":1,"mode":"…"}}, parsed
 * strictly; after a forced start it also has {@code "accepted":["…"]}.
 */
public final class ModeFile {

    private static final int VERSION = 1;
    private static final Set<String> FIELDS = Set.of("version", "mode", "accepted");
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-r--r--");

    private final Path directory;
    private final Path file;
    private final DurableFiles files;

    /** Creates access to {@code mode.json} in the directory; the first write creates a missing directory. */
    public ModeFile(Path stateDirectory) {
        this(stateDirectory, FileSteps.ALL_PASS);
    }

    /** Creates access to {@code mode.json} in the directory; {@code steps} observes each step of a write. */
    public ModeFile(Path stateDirectory, FileSteps steps) {
        this.directory = stateDirectory;
        this.file = stateDirectory.resolve("mode.json");
        this.files = new DurableFiles(steps, "");
    }

    public sealed interface RecordedMode {

        /** The recorded mode and isolation, and the claims of another mode that an operator has accepted by force. */
        record ModeRecorded(ServingMode mode, SortedSet<ClaimUid> accepted) implements RecordedMode {

            public ModeRecorded {
                accepted = Collections.unmodifiableSortedSet(new TreeSet<>(accepted));
            }
        }

        /** The file does not exist: the mode is inferred from the ledger. */
        record ModeMissing() implements RecordedMode {}

        /**
         * The file exists, but this version cannot parse it: the mode is inferred from the ledger, and the next {@link
         * #write} replaces the file. The reason is a sentence that begins with the path.
         */
        record ModeUnreadable(String reason) implements RecordedMode {}
    }

    /** Reads the file; fails if the system does not allow that. */
    public RecordedMode read() throws IOException {
        try {
            return parse(Files.readAllBytes(file));
        } catch (NoSuchFileException absent) {
            return new RecordedMode.ModeMissing();
        } catch (MalformedJsonException e) {
            return new RecordedMode.ModeUnreadable(file + " is not understood: " + e.reason());
        } catch (IOException e) {
            throw FileFault.of("read", file, e, "");
        }
    }

    /** Records the mode, durably, with claims of another mode that an operator has accepted by force. */
    public void write(ServingMode mode, SortedSet<ClaimUid> accepted) throws IOException {
        GoJson json = new GoJson()
                .beginObject()
                .field("version", VERSION)
                .field("mode", mode.text())
                .fieldUnlessEmpty(
                        "accepted", accepted.stream().map(ClaimUid::toString).toList())
                .endObject();
        files.createDirectory(directory);
        files.replace(file, (json + "\n").getBytes(UTF_8), FILE_MODE);
    }

    private static RecordedMode parse(byte[] content) throws MalformedJsonException {
        JsonValue json = JsonValue.read(content, "");
        for (JsonValue field : json.fields()) {
            if (!FIELDS.contains(field.name())) {
                throw field.malformed("unknown field");
            }
        }
        Optional<Long> version = json.field("version", value -> value.integer(VERSION, VERSION));
        Optional<ServingMode> mode = json.field("mode", value -> parsed(value, ServingMode::parse, "mode"));
        if (version.isEmpty() || mode.isEmpty()) {
            throw new MalformedJsonException("field \"version\" or \"mode\" is missing");
        }
        return new RecordedMode.ModeRecorded(
                mode.get(),
                new TreeSet<>(json.list("accepted", value -> parsed(value, ClaimUid::parse, "claim's UID"))));
    }

    private static <T> T parsed(JsonValue json, Function<String, Optional<T>> parser, String what)
            throws MalformedJsonException {
        String text = json.text();
        return parser.apply(text).orElseThrow(() -> json.malformed(Quoted.of(text) + " is no " + what));
    }
}
