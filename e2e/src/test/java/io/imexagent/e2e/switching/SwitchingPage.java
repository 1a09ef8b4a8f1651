package io.imexagent.e2e.switching;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A way of docs/switching.md: the blocks of its commands for kubectl, in their order, and what they do to a cluster. */
record SwitchingPage(List<List<String>> blocks) {

    private static final Pattern BLOCK = Pattern.compile("```console\\n(.*?)```", Pattern.DOTALL);
    private static final String PROMPT = "$ kubectl ";

    /** The blocks below a heading. */
    static SwitchingPage way(String heading) throws IOException {
        String page = Files.readString(Checkout.find().root().resolve("docs/switching.md"));
        int start = page.indexOf("## " + heading + "\n");
        int end = page.indexOf("\n## ", start + 1);
        return new SwitchingPage(BLOCK.matcher(page.substring(start, end))
                .results()
                .map(block -> block.group(1)
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.startsWith(PROMPT))
                        .map(line -> line.substring(PROMPT.length()))
                        .toList())
                .toList());
    }

    /** Makes the deletions of a block. */
    void delete(int block, ApiDouble api) {
        for (String line : blocks.get(block)) {
            var command = Kubectl.of(line);
            if (command.verb().equals("delete")) {
                command.selected(api).forEach(object -> delete(object, api));
            }
        }
    }

    private static void delete(ObjectNode object, ApiDouble api) {
        ResourceType type = type(object);
        try {
            api.delete(
                    type,
                    object.at("/metadata/namespace").asText(""),
                    object.at("/metadata/name").asText());
        } catch (StatusException gone) {
            // Its controller was faster.
        }
    }

    /** What the questions of a block print. */
    List<String> found(int block, ApiDouble api) {
        return blocks.get(block).stream()
                .map(Kubectl::of)
                .filter(command -> command.verb().equals("get"))
                .flatMap(command -> command.selected(api))
                .map(object -> object.path("kind").asText() + " "
                        + object.at("/metadata/name").asText())
                .toList();
    }

    private static ResourceType type(ObjectNode object) {
        return ResourceType.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow();
    }

    /** A command for kubectl: kinds, and names or a label or all. */
    private record Kubectl(String verb, List<ResourceType> kinds, List<String> names, String label) {

        static Kubectl of(String line) {
            List<String> words = Arrays.asList(line.split(" "));
            List<String> names = new ArrayList<>();
            String label = "";
            for (int i = 2; i < words.size(); i++) {
                switch (words.get(i)) {
                    case "-l" -> label = words.get(++i);
                    case "-A", "--all", "--ignore-not-found" -> {}
                    default -> names.add(words.get(i));
                }
            }
            List<ResourceType> kinds =
                    Stream.of(words.get(1).split(",")).map(Kubectl::kind).toList();
            if (names.isEmpty() && words.getFirst().equals("delete") && !words.contains("--all")) {
                throw new AssertionError("kubectl would refuse: " + line);
            }
            return new Kubectl(words.getFirst(), kinds, List.copyOf(names), label);
        }

        private static ResourceType kind(String plural) {
            return Stream.of(ResourceType.values())
                    .filter(type -> type.plural().equals(plural))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no kind " + plural));
        }

        Stream<ObjectNode> selected(ApiDouble api) {
            return kinds.stream()
                    .flatMap(kind -> api.list(kind).stream())
                    .filter(object -> names.isEmpty()
                            || names.contains(object.at("/metadata/name").asText()))
                    .filter(object -> label.isEmpty() || labels(object).has(label));
        }

        private static ObjectNode labels(ObjectNode object) {
            return object.at("/metadata/labels") instanceof ObjectNode labels ? labels : Json.object();
        }
    }
}
