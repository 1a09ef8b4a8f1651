package io.imexagent.fabric.child;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.fabric.cuda.CudaCall;
import io.imexagent.fabric.cuda.CudaResult;
import io.imexagent.fabric.cuda.FabricHandle;
import io.imexagent.host.json.JsonReader;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.kubernetes.clique.FabricLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A message between a parent and its child: a JSON object on a line of at most {@value #LONGEST} bytes, with exactly
 * the fields of its kind.
 */
sealed interface ChildMessage {

    /** The most bytes of a line. The longest lines contain a handle, or the UUIDs of a tray's GPUs. */
    int LONGEST = 16 * 1024;

    /** Returns the message as JSON. */
    ObjectNode json();

    /** A message from the parent. */
    sealed interface ChildRequest extends ChildMessage {}

    /** Requests to load and initialise libcuda of the driver below this root. */
    record OpenRequest(String driverRoot) implements ChildRequest {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("op", "open").put("driverRoot", driverRoot);
        }
    }

    /** Requests to allocate memory of this GPU and to export it; at level data the nonce is written into it first. */
    record ExportRequest(String gpu, FabricLevel level, String nonce) implements ChildRequest {
        @Override
        public ObjectNode json() {
            return JsonTrees.object()
                    .put("op", "export")
                    .put("gpu", gpu)
                    .put("level", level.word())
                    .put("nonce", nonce);
        }
    }

    /** Requests to import memory, to do the steps of the level on this GPU, and to release the memory. */
    record ImportRequest(String gpu, FabricLevel level, FabricHandle handle, long bytes) implements ChildRequest {
        @Override
        public ObjectNode json() {
            return JsonTrees.object()
                    .put("op", "import")
                    .put("gpu", gpu)
                    .put("level", level.word())
                    .put("handle", handle.hex())
                    .put("bytes", bytes);
        }
    }

    /** Requests to release all exported memory. */
    record ReleaseRequest() implements ChildRequest {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("op", "release");
        }
    }

    /** A message from the child. */
    sealed interface ChildReply extends ChildMessage {}

    /** This call into libcuda begins now. */
    record Calling(CudaCall call) implements ChildReply {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("calling", call.symbol());
        }
    }

    /** libcuda is initialised. */
    record LibraryOpened(List<FabricGpu> gpus) implements ChildReply {
        public LibraryOpened {
            gpus = List.copyOf(gpus);
        }

        @Override
        public ObjectNode json() {
            ObjectNode json = JsonTrees.object();
            ArrayNode all = json.putArray("gpus");
            gpus.forEach(gpu -> all.addObject().put("uuid", gpu.uuid()).put("fabricHandles", gpu.fabricHandles()));
            return json;
        }
    }

    /** The memory was exported. */
    record Exported(FabricExport export) implements ChildReply {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("handle", export.handle().hex()).put("bytes", export.bytes());
        }
    }

    /** The memory was imported and released. At level data the nonce is the one that was read from it. */
    record Imported(Optional<String> nonce) implements ChildReply {
        @Override
        public ObjectNode json() {
            ObjectNode json = JsonTrees.object().put("imported", true);
            nonce.ifPresent(read -> json.put("nonce", read));
            return json;
        }
    }

    /** All exported memory was released. */
    record Released() implements ChildReply {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("released", true);
        }
    }

    /** A call into libcuda returned a result other than 0. */
    record CallFailedReply(CudaCall call, CudaResult result) implements ChildReply {
        @Override
        public ObjectNode json() {
            return JsonTrees.object()
                    .put("call", call.symbol())
                    .put("code", result.code())
                    .put("name", result.name());
        }
    }

    /** The request cannot be done; the reason is a clause. */
    record Unable(String reason) implements ChildReply {
        @Override
        public ObjectNode json() {
            return JsonTrees.object().put("unable", reason);
        }
    }

    /** Parses a request; throws {@link IOException} for any other line. */
    static ChildRequest request(String line) throws IOException {
        MessageFields fields = MessageFields.parse(line);
        return fields.exactly(
                switch (fields.text("op")) {
                    case "open" -> new OpenRequest(fields.text("driverRoot"));
                    case "export" -> new ExportRequest(fields.text("gpu"), fields.level(), fields.nonce());
                    case "import" ->
                        new ImportRequest(fields.text("gpu"), fields.level(), fields.handle(), fields.natural("bytes"));
                    case "release" -> new ReleaseRequest();
                    default -> throw new IOException("no request has the op " + fields.text("op"));
                });
    }

    /** Parses a reply; throws {@link IOException} for any other line. */
    static ChildReply reply(String line) throws IOException {
        MessageFields fields = MessageFields.parse(line);
        return fields.exactly(reply(fields));
    }

    private static ChildReply reply(MessageFields fields) throws IOException {
        if (fields.has("calling")) {
            return new Calling(fields.call("calling"));
        }
        if (fields.has("gpus")) {
            return new LibraryOpened(fields.gpus());
        }
        if (fields.has("handle")) {
            return new Exported(new FabricExport(fields.handle(), fields.natural("bytes")));
        }
        if (fields.has("imported")) {
            boolean _ = fields.yes("imported");
            return new Imported(fields.has("nonce") ? Optional.of(fields.nonce()) : Optional.empty());
        }
        if (fields.has("released")) {
            boolean _ = fields.yes("released");
            return new Released();
        }
        if (fields.has("call")) {
            return new CallFailedReply(
                    fields.call("call"), new CudaResult((int) fields.natural("code"), fields.text("name")));
        }
        return new Unable(fields.text("unable"));
    }

    /** The fields of a message, or of an object in it. */
    record MessageFields(JsonNode json) {

        /** The most levels of nested JSON; the deepest message has a list of GPUs, each an object. */
        private static final int DEEPEST = 8;

        private static final JsonReader LINE =
                new JsonReader(LONGEST, DEEPEST, StreamReadFeature.STRICT_DUPLICATE_DETECTION);

        private static final Pattern NONCE = Pattern.compile("[0-9a-f]{32}");

        static MessageFields parse(String line) throws IOException {
            try {
                if (LINE.whole(line.getBytes(StandardCharsets.UTF_8), "", JsonTrees::value)
                        instanceof ObjectNode object) {
                    return new MessageFields(object);
                }
            } catch (MalformedJsonException malformed) {
                throw new IOException("not one JSON object: " + malformed.reason(), malformed);
            }
            throw new IOException("not one JSON object");
        }

        /** Returns the message that was read from these fields, unless it has no place for one of them. */
        <T extends ChildMessage> T exactly(T message) throws IOException {
            ObjectNode known = message.json();
            for (String name : (Iterable<String>) json::fieldNames) {
                if (!known.has(name)) {
                    throw new IOException("the field " + name + " does not belong there");
                }
            }
            return message;
        }

        boolean has(String field) {
            return json.has(field);
        }

        String text(String field) throws IOException {
            return Optional.ofNullable(json.get(field))
                    .filter(JsonNode::isTextual)
                    .map(JsonNode::textValue)
                    .orElseThrow(() -> new IOException("the text " + field + " is missing"));
        }

        long natural(String field) throws IOException {
            return Optional.ofNullable(json.get(field))
                    .filter(JsonNode::canConvertToExactIntegral)
                    .filter(node -> node.canConvertToLong() && node.longValue() >= 0)
                    .map(JsonNode::longValue)
                    .orElseThrow(() -> new IOException("the whole number " + field + " is missing"));
        }

        boolean yes(String field) throws IOException {
            return Optional.ofNullable(json.get(field))
                    .filter(JsonNode::isBoolean)
                    .map(JsonNode::booleanValue)
                    .orElseThrow(() -> new IOException("the boolean " + field + " is missing"));
        }

        CudaCall call(String field) throws IOException {
            String symbol = text(field);
            return CudaCall.of(symbol).orElseThrow(() -> new IOException("no call is named " + symbol));
        }

        FabricLevel level() throws IOException {
            try {
                return FabricLevel.of(text("level"));
            } catch (IllegalArgumentException unknown) {
                throw new IOException("no level is named " + text("level"), unknown);
            }
        }

        FabricHandle handle() throws IOException {
            try {
                return new FabricHandle(text("handle"));
            } catch (IllegalArgumentException malformed) {
                throw new IOException(malformed.getMessage(), malformed);
            }
        }

        String nonce() throws IOException {
            String nonce = text("nonce");
            if (!NONCE.matcher(nonce).matches()) {
                throw new IOException("a nonce has 32 lower-case hex digits");
            }
            return nonce;
        }

        List<FabricGpu> gpus() throws IOException {
            List<FabricGpu> gpus = new ArrayList<>();
            for (JsonNode gpu : json.path("gpus")) {
                var fields = new MessageFields(gpu);
                gpus.add(new FabricGpu(fields.text("uuid"), fields.yes("fabricHandles")));
            }
            return gpus;
        }
    }
}
